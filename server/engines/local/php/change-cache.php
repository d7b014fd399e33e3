<?php
/* Clears the caches of a site. Required by change.php, with WordPress loaded. */
require '/internal/easydash/remove-tree.php';

/** Empties the caches of WordPress and the folder in which plugins keep pages, and has the common cache plugins clear theirs. */
function easydash_flush_caches( $shared ) {
	/* All sites of a server can have one Redis, which wp-redis empties for all of them. Then what is this site's in it is removed from outside. */
	if ( ! $shared || ! defined( 'WP_REDIS_OBJECT_CACHE' ) ) {
		wp_cache_flush();
	}
	delete_expired_transients( true );
	$folder = WP_CONTENT_DIR . '/cache';
	if ( is_dir( $folder ) && ! is_link( $folder ) ) {
		foreach ( array_diff( scandir( $folder ), array( '.', '..', 'index.php', 'index.html', '.htaccess' ) ) as $name ) {
			easydash_remove( "$folder/$name" );
		}
	}
	/* WP Super Cache, W3 Total Cache, WP Rocket, WP Fastest Cache, WP-Optimize: some keep pages elsewhere. */
	foreach ( array( 'wp_cache_clear_cache', 'w3tc_flush_all', 'rocket_clean_domain', 'wpfc_clear_all_cache', 'wpo_cache_flush' ) as $function ) {
		if ( function_exists( $function ) ) {
			$function();
		}
	}
	/* LiteSpeed Cache, Cache Enabler, Breeze. */
	foreach ( array( 'litespeed_purge_all', 'cache_enabler_clear_complete_cache', 'breeze_clear_all_cache' ) as $hook ) {
		do_action( $hook );
	}
}
