<?php
/*
 * Runs the events that are due, as wp-cron.php does: none while they are paused (preload.php). In a network, those of one site: the first one, or that of
 * the path in the input. Input: sitePath or nothing. Result: ran, nextCron (seconds since 1970 or null), and for the first site others:
 * the paths of further sites of the network with due events.
 */
define( 'DOING_CRON', true );
require '/wordpress/wp-load.php';

/** Paths of the further sites of the network with due events, and the time of the next event of all others. */
function easydash_other_events() {
	$found = array( array(), array() );
	if ( ! is_multisite() || ! is_main_site() || get_option( 'easydash_cron_paused' ) ) {
		return $found;
	}
	foreach ( get_sites( array( 'number' => 200, 'site__not_in' => array( get_main_site_id() ), 'deleted' => 0, 'archived' => 0, 'spam' => 0 ) ) as $site ) {
		$times = array_filter( array_keys( (array) get_blog_option( $site->blog_id, 'cron' ) ), 'is_int' );
		if ( $times && min( $times ) <= time() ) {
			$found[0][] = $site->path;
		} elseif ( $times ) {
			$found[1][] = min( $times );
		}
	}
	return $found;
}

/* Written by a shutdown function: an event's code may end the run with exit or a fatal error. */
$easydash_ran = 0;
register_shutdown_function(
	function () {
		global $easydash_ran;
		$known = function_exists( '_get_cron_array' ) && ! get_option( 'easydash_cron_paused' );
		$times = $known ? array_keys( (array) _get_cron_array() ) : array();
		list( $others, $later ) = $known ? easydash_other_events() : array( array(), array() );
		$times = array_merge( $times, $later );
		file_put_contents(
			'/internal/easydash/' . basename( $_SERVER['EASYDASH_RESULT'] ),
			json_encode(
				array(
					'ran'      => $easydash_ran,
					'nextCron' => $times ? (int) min( $times ) : null,
					'others'   => $others,
				)
			)
		);
	}
);

/* The state before a statement of the SQL console is kept for a day. */
$easydash_undo = '/wordpress/wp-content/database/.ht.easydash-undo.sqlite';
if ( is_file( $easydash_undo ) && filemtime( $easydash_undo ) < time() - 86400 ) {
	unlink( $easydash_undo );
}

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
