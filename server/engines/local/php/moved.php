<?php
/* Empties what the site keeps of pages with its old address: object cache, transients, pages that plugins stored. Result: done. */
require '/internal/easydash/load.php';

add_filter( 'pre_wp_mail', '__return_true', -1 );

/** Removes the files below a folder, without following links; at most so many. */
function easydash_empty( $folder, &$left, $depth = 0 ) {
	$names = is_link( $folder ) || ! is_dir( $folder ) || $depth > 40 ? array() : scandir( $folder );
	foreach ( is_array( $names ) ? $names : array() as $name ) {
		if ( '.' === $name || '..' === $name || --$left < 0 ) {
			continue;
		}
		$path = "$folder/$name";
		if ( is_dir( $path ) && ! is_link( $path ) ) {
			easydash_empty( $path, $left, $depth + 1 );
			@rmdir( $path );
		} else {
			@unlink( $path );
		}
	}
}

wp_cache_flush();
delete_expired_transients( true );
$easydash_left = 100000;
easydash_empty( '/wordpress/wp-content/cache', $easydash_left );
easydash_result( array( 'done' => true ) );
