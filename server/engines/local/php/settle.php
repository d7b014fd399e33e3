<?php
/*
 * Makes the copy of a site one of its own: its title (if given), no sessions, no caches. With `hidden`, search engines are told
 * to stay away. Result: settled.
 */
require '/internal/easydash/load.php';

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
if ( ! empty( $easydash_input['hidden'] ) ) {
	update_option( 'blog_public', '0' );
}
/* The state before a statement in the original is none of the copy. */
foreach ( array( '.sqlite', '.json', '-new.sqlite', '-new.sqlite-journal' ) as $easydash_end ) {
	$easydash_file = '/wordpress/wp-content/database/.ht.easydash-undo' . $easydash_end;
	if ( file_exists( $easydash_file ) ) {
		unlink( $easydash_file );
	}
}
/* All sites of a server can have one Redis, which would be emptied for all of them. */
if ( ! defined( 'WP_REDIS_OBJECT_CACHE' ) ) {
	wp_cache_flush();
}
delete_expired_transients( true );
easydash_result( array( 'settled' => true ) );
