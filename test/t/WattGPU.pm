# What the TAP tests share: a session that is asked one question at a time, and a GPU and an LLM that nobody measured.
package WattGPU;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

our @EXPORT = qw(session ask gpu_row llm_row itl power);

# A psql that stays connected, and goes on after an error. It does not note each query in the test's output.
sub session
{
	my ($node, $dbname) = @_;
	no warnings 'redefine';
	local *PostgreSQL::Test::BackgroundPsql::note = sub { };
	my $session = $node->background_psql($dbname // 'postgres', on_error_stop => 0);

	$session->set_query_timer_restart;
	return $session;
}

# What the session prints for a query, or the error if there is one.
sub ask
{
	my ($session, $query) = @_;

	no warnings 'redefine';
	local *PostgreSQL::Test::BackgroundPsql::note = sub { };
	$session->{stderr} = '';
	my $output = $session->query($query);
	my $error = $session->{stderr};
	$session->{stderr} = '';
	return $error eq '' ? $output : $error;
}

# Schemas are passed with their dot.
sub gpu_row
{
	my ($gpu, $schema) = @_;
	$schema //= '';

	return <<SQL;
INSERT INTO ${schema}wattgpu_gpus (gpu, manufacturer, architecture, release_date, process_nm, transistors_m,
    streaming_multiprocessors, base_clock_mhz, boost_clock_mhz, memory_gb, memory_type, memory_bandwidth_gb_s, tdp_w,
    fp16_tflops, source)
VALUES ('$gpu', 'Acme', 'Ampere', '2021-04-12', 7, 54200, 56, 930, 1440, 24, 'HBM2', 933, 165, 165, 'test');
SQL
}

sub llm_row
{
	my ($llm, $schema) = @_;
	$schema //= '';

	return <<SQL;
INSERT INTO ${schema}wattgpu_llms (llm, model_type, architecture, total_params_b, active_params_b, num_layers, hidden_size,
    num_attention_heads, num_key_value_heads, head_dim, intermediate_size, vocab_size, max_position_embeddings,
    tie_word_embeddings, weight_dtype, quantization, attention_kind, source)
VALUES ('$llm', 'mistral', 'dense', 7.24, 7.24, 32, 4096, 32, 8, 128, 14336, 32000, 32768, false, 'bf16', 'none', 'gqa',
    'test');
SQL
}

sub itl
{
	my ($gpu, $llm, $schema) = @_;
	$schema //= '';

	return "${schema}wattgpu_itl('$gpu', '$llm', 'server_high')";
}

sub power
{
	my ($gpu, $llm, $schema) = @_;
	$schema //= '';

	return "${schema}wattgpu_power('$gpu', '$llm', 'server_high')";
}

1;
