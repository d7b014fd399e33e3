<?php
/*
 * Where what a deletion takes away is kept until nobody can want it back. Required by scripts; loads nothing.
 * Each file or folder is written down before it is moved, so that a deletion that was cut off can be taken back, too.
 */

/* A hidden folder that is neither served nor run. */
const EASYDASH_DELETED         = '/wordpress/wp-content/.easydash-previous/deleted';
const EASYDASH_DELETED_JOURNAL = EASYDASH_DELETED . '/moved.json';

/** Paths that were moved, in order: the first one is kept as `0`. */
function easydash_deleted_paths() {
	$paths = json_decode( (string) @file_get_contents( EASYDASH_DELETED_JOURNAL, false, null, 0, 1048576 ), true );
	return is_array( $paths ) ? array_values( array_filter( $paths, 'is_string' ) ) : array();
}

/** Moves a file or folder to what is kept; whether that succeeded. */
function easydash_keep_deleted( $path ) {
	if ( ! is_dir( EASYDASH_DELETED ) && ! mkdir( EASYDASH_DELETED, 0755, true ) ) {
		return false;
	}
	$paths  = easydash_deleted_paths();
	$kept   = EASYDASH_DELETED . '/' . count( $paths );
	$text   = json_encode( array_merge( $paths, array( $path ) ) );
	$new    = EASYDASH_DELETED_JOURNAL . '.new';
	$stored = file_put_contents( $new, $text ) === strlen( $text ) && rename( $new, EASYDASH_DELETED_JOURNAL );
	return $stored && @rename( $path, $kept );
}
