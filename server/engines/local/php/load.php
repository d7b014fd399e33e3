<?php
/*
 * Loads WordPress for a management script and sets $easydash_input. With `safe` in the input, the site's own code stays out:
 * plugins, must-use plugins, drop-ins and themes. A script that defines SHORTINIT first gets options and the functions for plugins
 * alone, in a third of the time: wp-settings.php then stops before it loads plugins, themes and most of WordPress.
 * Scripts call easydash_result() with what they found or did; a fatal error of the site's code becomes the result `fatal`.
 */

/** Writes the result of this run. */
function easydash_result( $value ) {
	file_put_contents( $_SERVER['EASYDASH_RESULT'], json_encode( $value, JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES ) );
}

/** A text of the site for a result: without markup, on one line, of bounded length. */
function easydash_text( $value, $length = 200 ) {
	$text = is_scalar( $value ) ? (string) $value : '';
	$text = html_entity_decode( strip_tags( substr( $text, 0, 4000 ) ), ENT_QUOTES | ENT_HTML5, 'UTF-8' );
	$text = trim( preg_replace( '/[\x00-\x1f\x7f]+/', ' ', mb_scrub( $text, 'UTF-8' ) ) );
	return mb_substr( $text, 0, $length, 'UTF-8' );
}

/* Before WordPress loads: it adds slashes to everything in $_SERVER. */
$easydash_input = json_decode( $_SERVER['EASYDASH_INPUT'], true );

register_shutdown_function(
	function () {
		$error = error_get_last();
		$fatal = E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR;
		if ( $error && ( $error['type'] & $fatal ) && ! file_exists( $_SERVER['EASYDASH_RESULT'] ) ) {
			$lines = explode( "\n", $error['message'] );
			easydash_result(
				array(
					'fatal' => easydash_text( str_replace( '/wordpress/', '', $lines[0] ), 300 ),
					'file'  => easydash_text( str_replace( '/wordpress/', '', $error['file'] ) ),
					'line'  => (int) $error['line'],
				)
			);
		}
	}
);

if ( ! empty( $easydash_input['safe'] ) ) {
	define( 'WPMU_PLUGIN_DIR', '/internal/easydash/none' );
	$easydash_without = array(
		'pre_option_active_plugins'               => array(),
		'pre_site_option_active_sitewide_plugins' => array(),
		'pre_option_template'                     => 'easydash-none',
		'pre_option_stylesheet'                   => 'easydash-none',
		'enable_loading_object_cache_dropin'      => false,
		'enable_loading_advanced_cache_dropin'    => false,
	);
	foreach ( $easydash_without as $easydash_hook => $easydash_value ) {
		/* WordPress turns filters set before it loads into real ones. */
		$GLOBALS['wp_filter'][ $easydash_hook ][0]['easydash-safe'] = array(
			'function'      => function () use ( $easydash_value ) {
				return $easydash_value;
			},
			'accepted_args' => 0,
		);
	}
}

require '/wordpress/wp-load.php';

if ( ! empty( $easydash_input['safe'] ) ) {
	/* From here on, options are what they are: otherwise a change of them would be lost. */
	foreach ( array_keys( $easydash_without ) as $easydash_hook ) {
		remove_all_filters( $easydash_hook, 0 );
	}
}
if ( defined( 'SHORTINIT' ) && SHORTINIT ) {
	/* What reading the headers of plugins needs of the rest of wp-settings.php. */
	require_once ABSPATH . WPINC . '/l10n.php';
	wp_plugin_directory_constants();
	$GLOBALS['wp_plugin_paths'] = array();
	require_once ABSPATH . 'wp-admin/includes/plugin.php';
} else {
	require_once ABSPATH . 'wp-admin/includes/admin.php';
}
