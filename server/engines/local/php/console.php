<?php
/*
 * Runs PHP code of an admin within WordPress. Input: code, safe (without plugins and themes), limits. Result: output (what it
 * printed), value (what it returned, as text, or null), error (what ended it, or null), cut, ms.
 */
/** What the code prints is kept up to the limit; the rest is dropped at once. */
final class Easydash_Console {
	public static $output = '';
	public static $cut    = false;
	public static $limit;
	public static $started;
	public static $done = false;

	public static function take( $text ) {
		$room          = self::$limit - strlen( self::$output );
		self::$cut     = self::$cut || strlen( $text ) > $room;
		self::$output .= substr( $text, 0, max( 0, $room ) );
		return '';
	}

	public static function finish( $value, $error ) {
		if ( self::$done ) {
			return;
		}
		self::$done = true;
		while ( ob_get_level() > 0 && @ob_end_flush() ) {
			continue;
		}
		$text   = null === $value ? null : substr( $value, 0, self::$limit );
		$result = array(
			'output' => self::scrub( self::$output ),
			'value'  => null === $text ? null : self::scrub( $text ),
			'error'  => $error,
			'cut'    => self::$cut || ( null !== $value && strlen( $value ) > self::$limit ),
			'ms'     => (int) round( 1000 * ( microtime( true ) - self::$started ) ),
		);
		file_put_contents( $_SERVER['EASYDASH_RESULT'], json_encode( $result, JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES ) );
	}

	/** Valid text without control characters besides line breaks and tabs: escaped, they would exceed the limit of a result. */
	private static function scrub( $text ) {
		return preg_replace( '/[\x00-\x08\x0b-\x1f\x7f]/', '', str_replace( "\r\n", "\n", mb_scrub( $text, 'UTF-8' ) ) );
	}

	/** An error in words, without the folders of the engine. Lines are those of the code. */
	public static function error( $class, $message, $file, $line ) {
		$where = false !== strpos( $file, "eval()'d code" ) ? '' : substr( str_replace( '/wordpress/', '', $file ), 0, 200 );
		return array(
			'message' => mb_substr( self::scrub( ( '' === $class ? '' : $class . ': ' ) . str_replace( '/wordpress/', '', $message ) ), 0, 1000, 'UTF-8' ),
			'file'    => self::scrub( $where ),
			'line'    => (int) $line,
		);
	}
}

Easydash_Console::$started = microtime( true );
$easydash_given            = json_decode( $_SERVER['EASYDASH_INPUT'], true );
Easydash_Console::$limit   = $easydash_given['limits']['output'];
register_shutdown_function(
	function () {
		$error = error_get_last();
		$fatal = $error && ( $error['type'] & ( E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR ) );
		Easydash_Console::finish( null, $fatal ? Easydash_Console::error( 'Fatal error', strtok( $error['message'], "\n" ), $error['file'], $error['line'] ) : null );
	}
);
require '/internal/easydash/load.php';
Easydash_Console::$started = microtime( true );
while ( ob_get_level() > 0 ) {
	ob_end_clean();
}
ob_start( array( 'Easydash_Console', 'take' ), 4096 );

/** In a function of its own: the code sees no variables of this script. */
function easydash_run_code() {
	return eval( func_get_arg( 0 ) );
}

try {
	$easydash_value = easydash_run_code( preg_replace( '/^\s{0,100}<\?php\b/', '', $easydash_given['code'] ) );
	if ( is_string( $easydash_value ) ) {
		$easydash_text = $easydash_value;
	} elseif ( null === $easydash_value ) {
		$easydash_text = null;
	} else {
		/* Buffered apart: print_r() of a large value must not exceed memory after the limit. */
		$easydash_text = is_scalar( $easydash_value ) ? var_export( $easydash_value, true ) : print_r( $easydash_value, true );
	}
	Easydash_Console::finish( $easydash_text, null );
} catch ( Throwable $easydash_error ) {
	Easydash_Console::finish( null, Easydash_Console::error( get_class( $easydash_error ), $easydash_error->getMessage(), $easydash_error->getFile(), $easydash_error->getLine() ) );
}
