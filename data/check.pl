#!/usr/bin/perl
# check.pl [--counts] [DIR]
# Checks the catalogue in DIR (default: where this script is) against itself and against arithmetic, prints each
# violation and exits 1 if there is one. --counts prints the rows of each file instead.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use Scalar::Util qw(looks_like_number);
use Time::Local qw(timegm);

use Csv;

# Rows that break a rule and are right all the same, or wrong at their source: "rule: key" => why.
# One that no longer breaks its rule is reported, so that the list does not outlive its reasons.
my %EXCEPTION = (
	'boost_tensor_rate: NVIDIA GB10' => 'Blackwell with the tensor cores of a GeForce, not those of a B200; NVIDIA rounds its FP4 peak to 1 PFLOPS',
	'boost_tensor_rate: NVIDIA Thor' => 'NVIDIA prints 96 tensor cores for 20 SMs; the rates fit 80',
	'tensor_cores_per_sm: NVIDIA Thor' => 'the same 96 tensor cores',
	'active_params: google/gemma-4-E2B-it' => 'its publisher leaves the per-layer embedding tables out of the active count',
	'max_position_embeddings: 01-ai/Yi-6B-Chat' => 'the config at hand was cut to 512 positions',
	'max_position_embeddings: mistralai/Mistral-7B-Instruct-v0.2' => 'the config at hand was cut to 512 positions',
);

# Quoted with half the tensor rate of their chip, as every GeForce is when it accumulates in FP32.
my %HALF_RATE = map { $_ => 1 } 'NVIDIA A10G', 'NVIDIA L20', 'NVIDIA L40';

my %TRANSFERS_PER_CLOCK = (
	GDDR5 => 4, GDDR5X => 8, GDDR6 => 8, GDDR6X => 16, GDDR7 => 16, LPDDR5 => 8, LPDDR5X => 8,
	HBM2 => 2, HBM2e => 2, HBM3 => 4, HBM3e => 4,
);

# FP16 operations per tensor core and clock. Within an architecture the chips with GDDR have the smaller ones.
my %TENSOR_RATE = (
	Volta => 128, 'Turing GDDR' => 128, Ampere => 512, 'Ampere GDDR' => 256, 'Ada Lovelace GDDR' => 256,
	Hopper => 1024, Blackwell => 2048, 'Blackwell Ultra' => 2048, 'Blackwell GDDR' => 256,
	CDNA => 256, 'CDNA 2' => 256, 'CDNA 3' => 512, 'CDNA 4' => 1024,
);

# FP32 operations per shader and clock, where it is not 2: these issue two instructions at once.
my %FP32_RATE = ('CDNA 3' => 4, 'CDNA 4' => 4, 'RDNA 3' => 4);

# Weight matrices of a feed-forward block; 3 (gated) for every other dense type. Qwen 1 counts both halves of its gate.
my %MLP_MATRICES = (
	(map { $_ => 2 } qw(bloom falcon gpt2 gpt_bigcode gpt_neox gptj mpt nemotron opt phi starcoder2)),
	qwen => 1.5,
);

# Of a mixture of experts, only these types give the experts' width as intermediate_size.
my %EXPERT_WIDTH = map { $_ => 1 } qw(dbrx gpt_oss granitemoe minimax_m2 mixtral olmoe phimoe);

# Dense types whose layers differ from one another, so that one shape does not give the count.
my %UNEVEN_LAYERS = map { $_ => 1 } qw(gemma4 nemotron-nas);

my %DTYPES_OF = (
	none => 'bf16 fp16 fp32', fp8 => 'fp8', awq => 'int4', gptq => 'int4', bitsandbytes => 'int4 int8',
	'compressed-tensors' => 'int4', mxfp4 => 'mxfp4', nvfp4 => 'nvfp4', gguf => 'int4 int8 mxfp4',
);

# The columns in order, "!" after those that may not be empty, and what a value must be: a test that
# returns what is wrong, or nothing.
my %COLUMNS = (
	gpus => [
		'gpu!' => text(),
		'manufacturer!' => one_of(qw(NVIDIA AMD Intel)),
		'architecture!' => text(),
		release_date => \&date,
		process_nm => whole(2, 28),
		transistors_m => number(1000, 1e6),
		streaming_multiprocessors => whole(1, 1000),
		shading_units => whole(64, 1e5),
		tensor_cores => whole(1, 1e4),
		base_clock_mhz => whole(200, 5000),
		boost_clock_mhz => whole(200, 5000),
		memory_clock_mhz => whole(200, 5000),
		'memory_gb!' => number(4, 2048),
		memory_total_mib => whole(4000, 2e6),
		'memory_type!' => one_of(keys %TRANSFERS_PER_CLOCK),
		'memory_bus_bits!' => whole(64, 32768),
		'memory_bandwidth_gb_s!' => number(50, 5e4),
		l2_cache_mb => number(0.5, 1024),
		tdp_w => number(10, 3000),
		fp16_tflops => number(5, 2e4),
		fp8_tflops => number(5, 4e4),
		fp32_tflops => number(1, 1000),
		'form_factor!' => text(),
		idle_power_w => number(1, 500),
		'source!' => text(),
	],
	llms => [
		'llm!' => text(),
		'model_type!' => text(),
		'architecture!' => one_of(qw(dense moe hybrid ssm)),
		'total_params_b!' => number(0.01, 1e4),
		'active_params_b!' => number(0.01, 1e4),
		'num_layers!' => whole(1, 500),
		'hidden_size!' => whole(128, 65536),
		num_attention_heads => whole(1, 1024),
		num_key_value_heads => whole(1, 1024),
		head_dim => whole(16, 1024),
		intermediate_size => whole(128, 262144),
		'vocab_size!' => whole(1000, 1e6),
		max_position_embeddings => whole(1024, 1e8),
		num_experts => whole(2, 4096),
		num_experts_per_token => whole(1, 256),
		'tie_word_embeddings!' => one_of(qw(true false)),
		weight_dtype => one_of(qw(fp32 bf16 fp16 fp8 int8 int4 mxfp4 nvfp4)),
		quantization => one_of(keys %DTYPES_OF),
		attention_kind => one_of(qw(mha gqa mqa mla hybrid none)),
		'source!' => text(),
	],
	gpu_aliases => [
		'alias!' => text(),
		'gpu!' => text(),
		'kind!' => one_of(qw(nvidia_smi techpowerup marketing short short_ambiguous k8s_label gcp pci_id)),
	],
	llm_aliases => [
		'alias!' => text(),
		'llm!' => text(),
		'kind!' => one_of(qw(hf_alias marketing ollama ollama_fp16 bedrock nim)),
	],
	cloud_instances => [
		'provider!' => one_of(qw(aws azure gcp oracle lambda coreweave)),
		'instance_type!' => text(),
		'gpu!' => text(),
		'gpu_count!' => whole(1, 72),
		'source!' => text(),
	],
	scenarios => [
		'scenario!' => text(),
		arrival_rate_qps => number(1e-6, 1e4),
		'prompt_tokens!' => number(1, 1e7),
		output_tokens => number(1, 1e7),
		'description!' => text(),
	],
	measurements => [
		'gpu!' => text(),
		'llm!' => text(),
		'scenario!' => text(),
		arrival_rate_qps => number(1e-6, 1e4),
		'prompt_tokens!' => number(1, 1e7),
		'output_tokens!' => number(1, 1e7),
		'num_gpus!' => whole(1, 72),
		'power_w!' => number(1, 1e5),
		itl_s => number(1e-7, 100),
		'runs!' => whole(1, 1e6),
		'source!' => text(),
	],
);

my %KEY = (
	gpus => ['gpu'], llms => ['llm'], gpu_aliases => ['alias'], llm_aliases => ['alias'], scenarios => ['scenario'],
	cloud_instances => ['provider', 'instance_type'], measurements => ['gpu', 'llm', 'scenario'],
);

my (%rows, %by_key, %excepted, $violations);
$violations = 0;

sub violation
{
	my ($file, $key, $rule, $what) = @_;

	if ($EXCEPTION{"$rule: $key"})
	{
		$excepted{"$rule: $key"} = 1;
		return;
	}
	print "$file.csv: $key: $rule: $what\n";
	$violations++;
}

sub text
{
	return sub { return };
}

sub one_of
{
	my %known = map { $_ => 1 } @_;
	return sub { return $known{ $_[0] } ? () : "\"$_[0]\" is not one of " . join(' ', sort keys %known) };
}

sub number
{
	my ($low, $high) = @_;
	return sub {
		return "\"$_[0]\" is not a number" unless $_[0] =~ /^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e[-+][0-9]{2})?\z/;
		return $_[0] >= $low && $_[0] <= $high ? () : "$_[0] is not between $low and $high";
	};
}

sub whole
{
	my $number = number(@_);
	return sub { return $_[0] =~ /^[0-9]+\z/ ? $number->($_[0]) : "\"$_[0]\" is not a whole number" };
}

sub date
{
	my ($y, $m, $d) = $_[0] =~ /^(20[0-9][0-9])-([0-9][0-9])-([0-9][0-9])\z/ or return "\"$_[0]\" is not a date";
	return eval { timegm(0, 0, 0, $d, $m - 1, $y); 1 } ? () : "$_[0] is not a day";
}

sub known
{
	return !grep { $_ eq '' } @_;
}

sub near
{
	my ($got, $expected, $tolerance) = @_;
	return abs($got / $expected - 1) <= $tolerance;
}

sub same
{
	my ($one, $other) = @_;
	return $one eq $other || (looks_like_number($one) && looks_like_number($other) && $one == $other);
}

# What holds for every file: header, field count, values, order, one row a key however it is written.
sub check_table
{
	my ($file, $path) = @_;
	my ($header, $rows) = Csv::read_table($path, sub { violation($file, '-', 'line', $_[0]) });
	my @columns = @{ $COLUMNS{$file} };
	my $expected = join ',', map { $_ % 2 ? () : $columns[$_] =~ s/!//r } 0 .. $#columns;
	my $last;

	if (join(',', @$header) ne $expected)
	{
		violation($file, '-', 'header', 'is "' . join(',', @$header) . "\", expected \"$expected\"");
		return 0;
	}

	foreach my $row (@$rows)
	{
		my $key = join ', ', @$row{ @{ $KEY{$file} } };
		my $sort_key = join "\0", @$row{ @{ $KEY{$file} } };

		violation($file, $key, 'order', 'rows are not sorted bytewise') if defined $last && ($sort_key cmp $last) < 0;
		$last = $sort_key;
		violation($file, $key, 'key', 'stands twice') if $by_key{$file}{ fold($key) };
		$by_key{$file}{ fold($key) } = $row;
		$row->{key} = $key;
		check_values($file, $row);
	}
	$rows{$file} = $rows;
	return 1;
}

sub check_values
{
	my ($file, $row) = @_;
	my @columns = @{ $COLUMNS{$file} };

	while (my ($column, $test) = splice @columns, 0, 2)
	{
		my $required = $column =~ s/!//;
		my $value = $row->{$column};

		# An install script is read in the database's encoding, whatever that is.
		violation($file, $row->{key}, $column, 'is not plain ASCII') if $value =~ /[^ -~]/;
		violation($file, $row->{key}, $column, 'begins or ends with a blank') if $value =~ /^\s|\s\z/;
		if ($value eq '')
		{
			violation($file, $row->{key}, $column, 'is empty') if $required;
			next;
		}
		my ($wrong) = $test->($value);
		if (defined $wrong)
		{
			violation($file, $row->{key}, $column, $wrong);
			# Arithmetic on it would only repeat the complaint.
			$row->{$column} = '';
		}
	}
}

sub fold
{
	return lc($_[0]) =~ s/^\s+|\s+\z//gr;
}

sub check_reference
{
	my ($file, $column, $target) = @_;

	foreach my $row (@{ $rows{$file} })
	{
		my $found = $by_key{$target}{ fold($row->{$column}) };
		violation($file, $row->{key}, $column, "\"$row->{$column}\" is not in $target.csv")
			unless $found && $found->{key} eq $row->{$column};
	}
}

sub check_aliases
{
	my ($file, $column, $target) = @_;

	check_reference($file, $column, $target);
	foreach my $row (@{ $rows{$file} })
	{
		my $owner = $by_key{$target}{ fold($row->{alias}) } or next;
		violation($file, $row->{key}, 'alias', "points to \"$row->{$column}\" and is the name of \"$owner->{key}\"")
			if $owner->{key} ne $row->{$column};
	}
}

sub check_gpu
{
	my ($gpu) = @_;
	my $wrong = sub { violation('gpus', $gpu->{gpu}, @_) };
	my ($sms, $shaders, $tensor_cores, $base, $boost, $memory_clock, $bandwidth, $bus, $fp16, $fp8, $fp32) =
		@$gpu{qw(streaming_multiprocessors shading_units tensor_cores base_clock_mhz boost_clock_mhz memory_clock_mhz
			memory_bandwidth_gb_s memory_bus_bits fp16_tflops fp8_tflops fp32_tflops)};
	my ($architecture, $nvidia) = ($gpu->{architecture}, $gpu->{manufacturer} eq 'NVIDIA');

	$wrong->('boost_clock_mhz', 'is below the base clock') if known($base, $boost) && $boost < $base;

	if (known($memory_clock, $bandwidth, $bus, $gpu->{memory_type}))
	{
		my $computed = $memory_clock * $TRANSFERS_PER_CLOCK{ $gpu->{memory_type} } * $bus / 8000;
		$wrong->('bandwidth', sprintf 'is %g GB/s, clock x bus gives %.1f', $bandwidth, $computed)
			unless near($bandwidth, $computed, 0.03);
	}

	if (known($sms, $shaders))
	{
		my $ratio = $shaders / $sms;
		$wrong->('shaders_per_sm', sprintf 'is %g', $ratio) unless $nvidia ? $ratio =~ /^(64|128|192)\z/ : $ratio =~ /^(64|128)\z/;
	}
	if (known($sms, $tensor_cores))
	{
		my $expected = $architecture =~ /^(Volta|Turing)\z/ ? 8 : 4;
		$wrong->('tensor_cores_per_sm', "$tensor_cores for $sms, expected $expected each") if $tensor_cores != $expected * $sms;
	}

	my $class = $architecture . ($gpu->{memory_type} =~ /^GDDR/ ? ' GDDR' : '');
	my $rate = $TENSOR_RATE{$class};
	if (known($fp16, $tensor_cores, $boost))
	{
		# Vendors quote some peaks at a lower clock than the boost clock: down to 0.86 of it here.
		my ($low, $high) = $HALF_RATE{ $gpu->{gpu} } || $gpu->{gpu} =~ /GeForce/ ? (0.42, 0.53) : (0.85, 1.06);
		if (!$rate)
		{
			$wrong->('boost_tensor_rate', "is not known for $class: add it to TENSOR_RATE");
		}
		else
		{
			my $of_boost = $fp16 * 1e6 / ($tensor_cores * $rate * $boost);
			$wrong->('boost_tensor_rate', sprintf 'fp16 is %.2f of tensor cores x rate x boost clock, expected %g to %g', $of_boost, $low, $high)
				if $of_boost < $low || $of_boost > $high;
		}
	}
	elsif (known($fp16, $fp32) && $tensor_cores eq '' && $architecture =~ /^RDNA/)
	{
		$wrong->('fp16_tflops', 'is not twice fp32') unless near($fp16, 2 * $fp32, 0.03);
	}
	$wrong->('fp8_tflops', 'is neither fp16 nor twice that')
		if known($fp8) && !(known($fp16) && (near($fp8, $fp16, 0.02) || near($fp8, 2 * $fp16, 0.02)));
	if (known($fp32, $shaders, $boost))
	{
		my $computed = $shaders * $boost * ($FP32_RATE{$architecture} // 2) / 1e6;
		$wrong->('fp32_tflops', sprintf 'is %g, shaders x boost clock give %.2f', $fp32, $computed)
			unless near($fp32, $computed, 0.03);
	}

	if (known($gpu->{memory_total_mib}, $gpu->{memory_gb}))
	{
		my $share = $gpu->{memory_total_mib} / ($gpu->{memory_gb} * 1024);
		$wrong->('memory_total_mib', sprintf 'is %.3f of the nominal memory', $share) if $share < 0.93 || $share > 1;
	}
	$wrong->('idle_power_w', 'is not below tdp_w')
		if known($gpu->{idle_power_w}, $gpu->{tdp_w}) && $gpu->{idle_power_w} >= $gpu->{tdp_w};
}

# Weights, in 10^9, of a decoder whose layers are alike and run so many experts' (or one) feed-forward block.
sub params_of_shape
{
	my ($llm, $matrices, $experts) = @_;
	my ($hidden, $heads, $kv_heads, $head_dim) = @$llm{qw(hidden_size num_attention_heads num_key_value_heads head_dim)};
	my $attention = 2 * $hidden * ($heads + $kv_heads) * $head_dim;
	my $mlp = $experts * $matrices * $hidden * $llm->{intermediate_size} + $hidden * ($llm->{num_experts} || 0);
	my $embeddings = $llm->{vocab_size} * $hidden * ($llm->{tie_word_embeddings} eq 'true' ? 1 : 2);

	return ($llm->{num_layers} * ($attention + $mlp) + $embeddings) / 1e9;
}

sub check_llm
{
	my ($llm) = @_;
	my $wrong = sub { violation('llms', $llm->{llm}, @_) };
	my ($type, $architecture, $total, $active, $heads, $kv_heads, $head_dim, $experts, $per_token, $attention) =
		@$llm{qw(model_type architecture total_params_b active_params_b num_attention_heads
			num_key_value_heads head_dim num_experts num_experts_per_token attention_kind)};

	if (known($total, $active))
	{
		$wrong->('active_params', 'is above the total') if $active > $total;
		$wrong->('active_params', 'differs from the total without experts') if $experts eq '' && $active != $total;
		$wrong->('active_params', 'equals the total, with experts') if $experts ne '' && $active == $total;
	}

	$wrong->('num_experts', 'is set without num_experts_per_token or the reverse') if ($experts eq '') != ($per_token eq '');
	$wrong->('num_experts', 'is empty in a moe') if $experts eq '' && $architecture eq 'moe';
	$wrong->('num_experts', "is set in a $architecture model") if $experts ne '' && $architecture =~ /^(dense|ssm)\z/;
	$wrong->('num_experts_per_token', 'is above num_experts') if known($experts, $per_token) && $per_token > $experts;

	$wrong->('attention_kind', 'is none exactly for ssm') if ($attention eq 'none') != ($architecture eq 'ssm');
	$wrong->('attention_kind', 'is hybrid exactly for hybrid') if ($attention eq 'hybrid') != ($architecture eq 'hybrid');
	$wrong->('num_attention_heads', 'is empty, with attention') if $heads eq '' && $attention ne 'none';
	$wrong->('num_key_value_heads', 'is set without num_attention_heads or the reverse') if ($heads eq '') != ($kv_heads eq '');
	if (known($heads, $kv_heads))
	{
		my $kind = $kv_heads == $heads ? 'mha' : $kv_heads == 1 ? 'mqa' : 'gqa';

		$wrong->('num_key_value_heads', "$kv_heads does not divide $heads heads") if $heads % $kv_heads;
		$wrong->('attention_kind', "is $attention, the heads say $kind") if $attention =~ /^(mha|mqa|gqa)\z/ && $attention ne $kind;

		# Nobody is to guess it as hidden_size / heads, which is wrong for Qwen 3 and Gemma; a latent cache (mla) has none.
		$wrong->('head_dim', 'is empty, with ordinary attention') if $head_dim eq '' && $attention ne 'mla';
	}

	$wrong->('weight_dtype', "$llm->{weight_dtype} does not go with quantization $llm->{quantization}")
		if known($llm->{weight_dtype}, $llm->{quantization}) && " $DTYPES_OF{ $llm->{quantization} } " !~ / $llm->{weight_dtype} /;

	if (($architecture eq 'dense' && !$UNEVEN_LAYERS{$type}) || $EXPERT_WIDTH{$type})
	{
		my @needed = qw(num_layers hidden_size num_attention_heads num_key_value_heads head_dim intermediate_size vocab_size);

		if (!known($total, $active, @$llm{@needed}))
		{
			$wrong->('total_params_b', 'cannot be recomputed: the shape is not complete');
			return;
		}
		foreach ([ 'total_params_b', $total, $experts || 1 ], [ 'active_params_b', $active, $per_token || 1 ])
		{
			my ($column, $given, $run) = @$_;
			my $computed = params_of_shape($llm, $MLP_MATRICES{$type} // 3, $run);
			$wrong->($column, sprintf 'is %g, the shape gives %.4g', $given, $computed) unless near($computed, $given, 0.01);
		}
	}
}

# A GGUF build has the shape of the checkpoint it was made from, whatever its weights are stored as.
sub check_gguf
{
	my ($llm) = @_;
	my ($name) = $llm->{source} =~ /^as (\S+); Ollama GGUF build\z/ or return;
	my $original = $by_key{llms}{ fold($name) };

	if (!$original)
	{
		violation('llms', $llm->{llm}, 'source', "\"$name\" is not in llms.csv");
		return;
	}
	foreach my $column (grep { !/^(llm|key|weight_dtype|quantization|source)\z/ } sort keys %$llm)
	{
		violation('llms', $llm->{llm}, $column, "is \"$llm->{$column}\", that of $name is \"$original->{$column}\"")
			unless same($llm->{$column}, $original->{$column});
	}
}

sub check_measurement
{
	my ($row) = @_;
	my $gpu = $by_key{gpus}{ fold($row->{gpu}) } or return;
	my $scenario = $by_key{scenarios}{ fold($row->{scenario}) } or return;

	violation('measurements', $row->{key}, 'power_w', "is above the limit of $gpu->{tdp_w} W a card")
		if known($row->{power_w}, $gpu->{tdp_w}, $row->{num_gpus}) && $row->{power_w} > 1.05 * $gpu->{tdp_w} * $row->{num_gpus};
	violation('measurements', $row->{key}, 'arrival_rate_qps', "is set, and the scenario's is not, or the reverse")
		if ($row->{arrival_rate_qps} eq '') != ($scenario->{arrival_rate_qps} eq '');
}

my $counts = @ARGV && $ARGV[0] eq '--counts' && shift @ARGV;
die "usage: check.pl [--counts] [DIR]\n" if @ARGV > 1 || (@ARGV && $ARGV[0] =~ /^-/);
my $dir = $ARGV[0] // $FindBin::RealBin;
my @files = sort keys %COLUMNS;

if ($counts)
{
	foreach my $file (@files)
	{
		my (undef, $rows) = Csv::read_table("$dir/$file.csv");
		print "$file ", scalar @$rows, "\n";
	}
	exit 0;
}

# Under a wrong header every cell would be out of place, and every name unknown.
if (!grep { !check_table($_, "$dir/$_.csv") } @files)
{
	check_aliases('gpu_aliases', 'gpu', 'gpus');
	check_aliases('llm_aliases', 'llm', 'llms');
	check_reference('cloud_instances', 'gpu', 'gpus');
	check_reference('measurements', $_, "${_}s") foreach qw(gpu llm scenario);
	check_gpu($_) foreach @{ $rows{gpus} };
	check_llm($_) foreach @{ $rows{llms} };
	check_gguf($_) foreach @{ $rows{llms} };
	check_measurement($_) foreach @{ $rows{measurements} };

	foreach my $exception (grep { !$excepted{$_} } sort keys %EXCEPTION)
	{
		print "check.pl: the exception \"$exception\" no longer applies\n";
		$violations++;
	}
}

if ($violations)
{
	print "$violations violations\n";
	exit 1;
}
printf "catalogue is sound: %s; %d exceptions\n", join(', ', map { scalar(@{ $rows{$_} }) . " $_" } @files), scalar keys %EXCEPTION;
