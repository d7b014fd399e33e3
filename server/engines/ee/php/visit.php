<?php
/*
 * Requests a page of a backup that is tried out beside its site, without the site's own code. Input: path, cookie. Result: status (0: no answer),
 * location, seconds and body (in base64, without the middle of a long one).
 */
function easydash_visit( $path, $cookie ) {
	$begun  = microtime( true );
	$header = 'Host: ' . EASYDASH_DOMAIN . "\r\nConnection: close\r\n" . ( '' === $cookie ? '' : "Cookie: $cookie\r\n" );
	$http   = array(
		'header'          => $header,
		'ignore_errors'   => true,
		'follow_location' => 0,
		'timeout'         => 60,
	);
	$body   = @file_get_contents( 'http://127.0.0.1:8080' . $path, false, stream_context_create( array( 'http' => $http ) ), 0, 5000000 );
	$lines  = isset( $http_response_header ) ? $http_response_header : array();
	$result = array(
		'status'   => 0,
		'location' => '',
		'seconds'  => (int) ( microtime( true ) - $begun ),
	);
	foreach ( $lines as $line ) {
		if ( preg_match( '~^HTTP/[\d.]+ (\d{3})~', $line, $found ) ) {
			$result['status'] = (int) $found[1];
		} elseif ( preg_match( '~^location:\s*(.{1,4000})$~i', $line, $found ) ) {
			$result['location'] = $found[1];
		}
	}
	$body           = (string) $body;
	$result['body'] = base64_encode( strlen( $body ) > 400000 ? substr( $body, 0, 300000 ) . substr( $body, -50000 ) : $body );
	return $result;
}

$easydash_input = json_decode( $_SERVER['EASYDASH_INPUT'], true );
file_put_contents( $_SERVER['EASYDASH_RESULT'], json_encode( easydash_visit( $easydash_input['path'], $easydash_input['cookie'] ) ) );
