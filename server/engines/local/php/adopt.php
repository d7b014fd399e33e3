<?php
/*
 * Makes an imported site one of its own: no sessions, no caches, the state of the database that its WordPress needs.
 * Input: title (null: keeps its own), safe. Result: version, login (of the first administrator, or null).
 */
require '/internal/easydash/load.php';
require '/internal/easydash/members.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';

add_filter( 'pre_wp_mail', '__return_true', -1 );
/* Used where the configuration has no keys. */
foreach ( array( 'auth', 'secure_auth', 'logged_in', 'nonce' ) as $easydash_scheme ) {
	delete_site_option( $easydash_scheme . '_key' );
	delete_site_option( $easydash_scheme . '_salt' );
}
delete_metadata( 'user', 0, 'session_tokens', '', true );
if ( is_string( $easydash_input['title'] ) ) {
	update_option( 'blogname', $easydash_input['title'] );
}
if ( (int) get_option( 'db_version' ) < (int) $GLOBALS['wp_db_version'] ) {
	wp_upgrade();
}
wp_cache_flush();
if ( file_exists( '/wordpress/wp-content/database/.ht.easydash-import.sql' ) ) {
	unlink( '/wordpress/wp-content/database/.ht.easydash-import.sql' );
}
delete_expired_transients( true );
$easydash_admin = easydash_first_administrator();
easydash_result(
	array(
		'version' => get_bloginfo( 'version' ),
		'login'   => $easydash_admin ? $easydash_admin->user_login : null,
	)
);
