<?php
/* Runs the events that are due, as wp-cron.php does. Result: ran, nextCron (seconds since 1970 or null). */
define( 'DOING_CRON', true );
require '/wordpress/wp-load.php';

/* Written by a shutdown function: an event's code may end the run with exit or a fatal error. */
$easydash_ran = 0;
register_shutdown_function(
	function () {
		global $easydash_ran;
		$times = function_exists( '_get_cron_array' ) ? array_keys( (array) _get_cron_array() ) : array();
		file_put_contents(
			'/internal/easydash/' . basename( $_SERVER['EASYDASH_RESULT'] ),
			json_encode(
				array(
					'ran'      => $easydash_ran,
					'nextCron' => $times ? (int) min( $times ) : null,
				)
			)
		);
	}
);

$easydash_until = microtime( true ) + 40;
foreach ( wp_get_ready_cron_jobs() as $timestamp => $hooks ) {
	foreach ( $hooks as $hook => $events ) {
		foreach ( $events as $event ) {
			if ( microtime( true ) > $easydash_until ) {
				exit;
			}
			if ( $event['schedule'] ) {
				wp_reschedule_event( $timestamp, $event['schedule'], $hook, $event['args'] );
			}
			wp_unschedule_event( $timestamp, $hook, $event['args'] );
			++$easydash_ran;
			do_action_ref_array( $hook, $event['args'] );
		}
	}
}
