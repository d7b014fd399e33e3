<?php
/* Facts of the installation. Result: version, displayTitle (as pages show it, escaped),
   nextCron (seconds since 1970 or null). */
require '/wordpress/wp-load.php';

$times = array_keys( (array) _get_cron_array() );
file_put_contents(
	$_SERVER['EASYDASH_RESULT'],
	json_encode(
		array(
			'version'      => get_bloginfo( 'version' ),
			'displayTitle' => get_bloginfo( 'name', 'display' ),
			'nextCron'     => $times ? (int) min( $times ) : null,
		)
	)
);
