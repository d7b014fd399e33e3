<?php
/*
 * Compares and merges the databases of a site and its staging copy, in parts of some seconds. Runs in the process of the site;
 * the databases lie beside its own.
 * Input: do (scan, judge, apply), files (names), mysql (what is written to is no file), from, to (hosts of staging and site), after, seconds, choice.
 * Result: after (null at the end) or plan; problem if it cannot go on.
 */
require '/internal/easydash/merge-judge.php';
require '/internal/easydash/merge-target.php';
require '/internal/easydash/merge-apply.php';

ini_set( 'memory_limit', '512M' );
$easydash_input = json_decode( $_SERVER['EASYDASH_INPUT'], true );
try {
	$easydash_diff  = new Easydash_Merge_Diff( $easydash_input['files'] );
	$easydash_until = microtime( true ) + $easydash_input['seconds'];
	if ( 'scan' === $easydash_input['do'] ) {
		$easydash_result = array( 'after' => $easydash_diff->run( $easydash_input['after'], $easydash_until ) );
	} elseif ( 'judge' === $easydash_input['do'] ) {
		$easydash_judge = new Easydash_Merge_Judge( $easydash_diff, $easydash_input['from'], $easydash_input['to'] );
		$easydash_judge->run();
		$easydash_result = array( 'plan' => $easydash_judge->summary() );
	} else {
		if ( $easydash_input['mysql'] ) {
			require '/internal/easydash/merge-mysql.php';
		}
		$easydash_target = $easydash_input['mysql'] ? new Easydash_Merge_Mysql_Target( $easydash_diff ) : new Easydash_Merge_Target( $easydash_diff );
		$easydash_apply  = new Easydash_Merge_Apply( $easydash_diff, $easydash_target, $easydash_input['from'], $easydash_input['to'], $easydash_input['choice'] );
		if ( null === $easydash_input['after'] ) {
			$easydash_apply->begin();
		}
		$easydash_result = array( 'after' => $easydash_apply->run( $easydash_input['after'] ?? 0, $easydash_until ) );
	}
} catch ( Throwable $error ) {
	$easydash_result = array( 'problem' => substr( $error->getMessage(), 0, 300 ) );
}
file_put_contents( $_SERVER['EASYDASH_RESULT'], json_encode( $easydash_result, JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES ) );
