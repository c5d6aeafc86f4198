#!/usr/bin/perl
# means.pl RUNS.csv > measurements.csv
# Averages the Watt Counts runs of each (gpu, llm, scenario): models are trained on configurations, weighted by runs.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(sum);

use Csv;

# A request that answers with a single token has no inter-token latency.
use constant MIN_OUTPUT_TOKENS => 2;

# Sorted, so that the last digit does not depend on the order of the runs in the file.
sub mean
{
	return sum(sort { $a <=> $b } @_) / @_;
}

die "usage: means.pl RUNS.csv > measurements.csv\n" unless @ARGV == 1;
my (undef, $runs) = Csv::read_table($ARGV[0]);

my %runs_of;
push @{ $runs_of{ join "\0", @$_{qw(gpu llm scenario)} } }, $_ foreach @$runs;

print "gpu,llm,scenario,arrival_rate_qps,prompt_tokens,output_tokens,num_gpus,power_w,itl_s,runs,source\n";
foreach my $key (sort keys %runs_of)
{
	my @runs = @{ $runs_of{$key} };
	my $output_tokens = mean(map { $_->{mean_output_tokens} } @runs);
	my ($rate, $itl);

	if ($runs[0]{scenario} eq 'offline')
	{
		$itl = mean(map { 1 / $_->{output_tokens_per_s} } @runs);
	}
	else
	{
		# requests / (requests x output tokens / throughput), that is, requests over the time they took.
		$rate = mean(map { $_->{output_tokens_per_s} / $_->{mean_output_tokens} } @runs);
		$itl = mean(map { $_->{mean_e2e_latency_s} / $_->{mean_output_tokens} } @runs)
			if $output_tokens >= MIN_OUTPUT_TOKENS;
	}

	my @numbers = map { defined $_ ? sprintf('%.6g', $_) : '' }
		$rate, mean(map { $_->{mean_prompt_tokens} } @runs), $output_tokens,
		1, mean(map { $_->{mean_gpu_power_w} } @runs), $itl, scalar @runs;
	print Csv::format_line(split(/\0/, $key), @numbers, 'Watt Counts'), "\n";
}
