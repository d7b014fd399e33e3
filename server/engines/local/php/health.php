<?php
/* Reads what can be wrong with a WordPress. Input: safe, late_seconds. Result: see `wordpressHealthFacts` without `uploads_php`. */
require '/internal/easydash/load.php';

/** Events that should have run this long ago; null: none. The oldest comes first in WordPress' list. */
function easydash_late_events( $seconds ) {
	$late = null;
	foreach ( (array) _get_cron_array() as $time => $hooks ) {
		$ago = time() - (int) $time;
		if ( $ago <= $seconds ) {
			break;
		}
		foreach ( (array) $hooks as $hook => $runs ) {
			$late           = $late ?? array( 'count' => 0, 'hook' => easydash_text( $hook ), 'seconds' => $ago );
			$late['count'] += count( (array) $runs );
		}
	}
	return $late;
}

$easydash_admin  = get_user_by( 'login', 'admin' );
$easydash_paused = (bool) get_option( 'easydash_cron_paused' );
easydash_result(
	array(
		'errors_shown'  => filter_var( ini_get( 'display_errors' ), FILTER_VALIDATE_BOOLEAN ),
		'file_editing'  => ! ( defined( 'DISALLOW_FILE_EDIT' ) && DISALLOW_FILE_EDIT ) && wp_is_file_mod_allowed( 'capability_edit_themes' ),
		'default_admin' => $easydash_admin && user_can( $easydash_admin, 'manage_options' ),
		'events_paused' => $easydash_paused,
		'late_events'   => $easydash_paused ? null : easydash_late_events( (int) $easydash_input['late_seconds'] ),
	)
);
