<?php
/* Removes whole folders. Required by scripts; loads nothing. */

/** Removes a file, or a folder without following links. */
function easydash_remove( $path ) {
	if ( is_link( $path ) || is_file( $path ) ) {
		unlink( $path );
		return;
	}
	if ( ! is_dir( $path ) ) {
		return;
	}
	foreach ( array_diff( scandir( $path ), array( '.', '..' ) ) as $name ) {
		easydash_remove( "$path/$name" );
	}
	rmdir( $path );
}
