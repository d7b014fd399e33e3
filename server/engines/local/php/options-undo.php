<?php
/*
 * Puts back the settings that `options.php` kept before an operation, without code of the site: a plugin may be what failed on the new
 * ones. Input: operation, safe. Result: done.
 */
require '/internal/easydash/load.php';
require '/internal/easydash/forget-options.php';

/** Writes the row of an option as it was; null: there was none. */
function easydash_restore_option( $name, $value ) {
	global $wpdb;
	$wpdb->delete( $wpdb->options, array( 'option_name' => $name ) );
	if ( null !== $value ) {
		$wpdb->insert(
			$wpdb->options,
			array(
				'option_name'  => $name,
				'option_value' => $value['value'],
				'autoload'     => $value['autoload'],
			)
		);
	}
}

$easydash_before = get_option( 'easydash_before_settings' );
if ( is_array( $easydash_before ) && ( $easydash_before['operation'] ?? null ) === $easydash_input['operation'] ) {
	foreach ( $easydash_before['rows'] as $easydash_name => $easydash_value ) {
		easydash_restore_option( $easydash_name, $easydash_value );
	}
	delete_option( 'easydash_before_settings' );
	easydash_forget_options( array_keys( $easydash_before['rows'] ) );
}
easydash_result( array( 'done' => true ) );
