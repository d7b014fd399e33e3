<?php
/*
 * Precedes a script of `local/php/` on a server: the PHP of the site runs it, in the folder of WordPress. It reads its input and writes its
 * result as it does in a site on this machine; the result is then printed in base64 after a mark, whatever else the site's code prints.
 */
$_SERVER['EASYDASH_RESULT'] = sys_get_temp_dir() . '/easydash-' . bin2hex( random_bytes( 16 ) ) . '.json';
$_SERVER['HTTP_HOST']       = $_SERVER['SERVER_NAME'] = EASYDASH_DOMAIN;
$_SERVER['HTTPS']           = EASYDASH_HTTPS;
$_SERVER['REQUEST_METHOD']  = 'GET';
$_SERVER['REQUEST_URI']     = '/';
$_SERVER['REMOTE_ADDR']     = '127.0.0.1';
$_SERVER['SERVER_PROTOCOL'] = 'HTTP/1.1';
$_SERVER['SCRIPT_NAME']     = '/index.php';
$_SERVER['PHP_SELF']        = '/index.php';
ini_set( 'display_errors', '0' );
/* Visitors are kept out while something is deleted; this run is what they wait for. */
$GLOBALS['wp_filter']['enable_maintenance_mode'][0]['easydash'] = array(
	'function'      => function () {
		return false;
	},
	'accepted_args' => 0,
);
register_shutdown_function(
	function () {
		/* After the shutdown functions of the script itself, which write results, too. */
		register_shutdown_function(
			function () {
				$path = $_SERVER['EASYDASH_RESULT'];
				if ( is_file( $path ) ) {
					echo "\n", EASYDASH_MARK, base64_encode( (string) file_get_contents( $path, false, null, 0, 2097152 ) ), "\n";
					unlink( $path );
				}
			}
		);
	}
);
