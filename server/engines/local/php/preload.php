<?php
/*
 * Runs before every request, outside the site's folder. A convenience for WordPress, not a security boundary:
 * the isolation boundaries are in the process around PHP.
 */

/** Keeps a mail in the site's outbox instead of sending it. */
function easydash_keep_mail( $to, $subject, $message, $headers ) {
	$mail = array(
		'at'      => gmdate( 'c' ),
		'to'      => $to,
		'subject' => (string) $subject,
		'message' => (string) $message,
		'headers' => $headers,
	);
	$name = '/easydash/outbox/' . gmdate( 'Ymd\THis' ) . '-' . bin2hex( random_bytes( 6 ) ) . '.json';
	return false !== file_put_contents( $name, json_encode( $mail, JSON_INVALID_UTF8_SUBSTITUTE ) );
}

/* The built-in mail() would start a program, which hangs for ever here; it is disabled and may be declared anew. */
if ( ! function_exists( 'mail' ) ) {
	function mail( $to, $subject, $message, $additional_headers = array(), $additional_params = '' ) {
		return easydash_keep_mail( $to, $subject, $message, $additional_headers );
	}
}

/* WordPress turns filters set before it loads into real ones. */
$GLOBALS['wp_filter']['pre_wp_mail'][0]['easydash'] = array(
	'function'      => function ( $sent, $mail ) {
		return null === $sent ? easydash_keep_mail( $mail['to'], $mail['subject'], $mail['message'], $mail['headers'] ) : $sent;
	},
	'accepted_args' => 2,
);

if ( file_exists( '/internal/shared/easydash-offline' ) ) {
	$GLOBALS['wp_filter']['pre_http_request'][0]['easydash'] = array(
		'function'      => function ( $answer, $arguments, $url ) {
			if ( false !== $answer || ( defined( 'WP_HOME' ) && parse_url( $url, PHP_URL_HOST ) === parse_url( WP_HOME, PHP_URL_HOST ) ) ) {
				return $answer;
			}
			return new WP_Error( 'http_request_not_executed', 'This machine has no internet connection.' );
		},
		'accepted_args' => 3,
	);
}
