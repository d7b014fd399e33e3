<?php
/*
 * Stands for the web server where a backup is tried out: PHP's own one asks it first. EASYDASH_HTTPS and EASYDASH_NAME are written above.
 */
$_SERVER['HTTPS']       = EASYDASH_HTTPS;
$_SERVER['SERVER_NAME'] = EASYDASH_NAME;
$_SERVER['SERVER_PORT'] = 'on' === EASYDASH_HTTPS ? '443' : '80';
$easydash_root = $_SERVER['DOCUMENT_ROOT'];
$easydash_path = rawurldecode( (string) parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH ) );
foreach ( array( '', '/index.php', '/index.html' ) as $easydash_end ) {
	$easydash_file = rtrim( $easydash_path, '/' ) . $easydash_end;
	if ( '' !== $easydash_file && is_file( $easydash_root . $easydash_file ) ) {
		if ( '' === $easydash_end && ! preg_match( '/\.php$/', $easydash_file ) ) {
			return false;
		}
		$_SERVER['SCRIPT_NAME']     = $_SERVER['PHP_SELF'] = $easydash_file;
		$_SERVER['SCRIPT_FILENAME'] = $easydash_root . $easydash_file;
		chdir( dirname( $easydash_root . $easydash_file ) );
		require $easydash_root . $easydash_file;
		return true;
	}
}
if ( ! is_file( $easydash_root . '/index.php' ) ) {
	http_response_code( 404 );
	return true;
}
$_SERVER['SCRIPT_NAME']     = $_SERVER['PHP_SELF'] = '/index.php';
$_SERVER['SCRIPT_FILENAME'] = $easydash_root . '/index.php';
chdir( $easydash_root );
require $easydash_root . '/index.php';
return true;
