<?php
/*
 * Ends a deletion: puts back what it took away, or removes it for good. Loads nothing of the site; nobody else uses it meanwhile.
 * Input: act (restore or forget). Result: done, or problem.
 */
require '/internal/easydash/keep-deleted.php';
require '/internal/easydash/remove-tree.php';

/** Puts everything back, the last one first. What is not kept was put back before, or never moved. */
function easydash_restore() {
	foreach ( array_reverse( easydash_deleted_paths(), true ) as $number => $path ) {
		$kept = EASYDASH_DELETED . "/$number";
		if ( ! file_exists( $kept ) && ! is_link( $kept ) ) {
			continue;
		}
		if ( ! is_dir( dirname( $path ) ) ) {
			mkdir( dirname( $path ), 0755, true );
		}
		/* Code of the site may have made something in its place meanwhile. */
		easydash_remove( $path );
		if ( ! @rename( $kept, $path ) ) {
			throw new Exception( 'could not move ' . basename( $path ) );
		}
	}
}

$easydash_input  = json_decode( $_SERVER['EASYDASH_INPUT'], true );
$easydash_result = array( 'done' => true );
try {
	if ( 'restore' === $easydash_input['act'] ) {
		easydash_restore();
	}
	easydash_remove( EASYDASH_DELETED );
	/* The folder around it goes, too, unless something else is kept in it. */
	@rmdir( dirname( EASYDASH_DELETED ) );
} catch ( Throwable $error ) {
	$easydash_result = array( 'problem' => substr( $error->getMessage(), 0, 300 ) );
}
file_put_contents( $_SERVER['EASYDASH_RESULT'], json_encode( $easydash_result, JSON_INVALID_UTF8_SUBSTITUTE ) );
