<?php
/*
 * Reads a file below the folder of WordPress, without the site's own code. Links are not followed. Input: path, most (bytes). Result: bytes,
 * and content in base64 unless it has more; or missing.
 */
$easydash_input = json_decode( $_SERVER['EASYDASH_INPUT'], true );

function easydash_content( $path, $most ) {
	$at = '/wordpress/' . $path;
	for ( $part = $at; '/wordpress' !== $part; $part = dirname( $part ) ) {
		if ( is_link( $part ) ) {
			return array( 'missing' => true );
		}
	}
	if ( ! is_file( $at ) ) {
		return array( 'missing' => true );
	}
	$bytes = (int) filesize( $at );
	$text  = $bytes > $most ? null : file_get_contents( $at, false, null, 0, $most );
	return array(
		'bytes'   => $bytes,
		'content' => is_string( $text ) ? base64_encode( $text ) : null,
	);
}

file_put_contents( $_SERVER['EASYDASH_RESULT'], json_encode( easydash_content( $easydash_input['path'], $easydash_input['most'] ) ) );
