<?php
/* What was unpacked to be installed, for `package.php`. */

const EASYDASH_STAGED = EASYDASH_KEPT . '/staged';
/* How long something stays staged without being installed, in seconds. */
const EASYDASH_STAGED_FOR = 86400;

function easydash_is_staged( $name ) {
	return 1 === preg_match( '/^[\w-]{1,64}$/', $name );
}

/** Forgets what was staged and never installed. */
function easydash_remove_old( $but ) {
	foreach ( array_slice( array_diff( is_dir( EASYDASH_STAGED ) ? (array) scandir( EASYDASH_STAGED ) : array(), array( '.', '..', $but ) ), 0, 100 ) as $name ) {
		if ( filemtime( EASYDASH_STAGED . "/$name" ) < time() - EASYDASH_STAGED_FOR ) {
			easydash_remove( EASYDASH_STAGED . "/$name" );
		}
	}
}

/** The one folder of what was staged; null if it is not one folder. */
function easydash_staged_folder( $staged ) {
	$path  = EASYDASH_STAGED . "/$staged";
	$names = is_dir( $path ) ? array_values( array_diff( (array) scandir( $path ), array( '.', '..', '__MACOSX', '.DS_Store' ) ) ) : array();
	$is    = 1 === count( $names ) && is_dir( "$path/$names[0]" ) && preg_match( '/^[\w][\w.-]{0,99}$/', $names[0] );
	return $is ? $names[0] : null;
}

/** Why what was staged is no package. */
function easydash_why_none( $staged ) {
	$path  = EASYDASH_STAGED . "/$staged";
	$names = is_dir( $path ) ? array_values( array_diff( (array) scandir( $path ), array( '.', '..', '__MACOSX', '.DS_Store' ) ) ) : array();
	$one   = 1 === count( $names ) && is_dir( "$path/$names[0]" ) ? (array) scandir( "$path/$names[0]" ) : array();
	if ( ! $names ) {
		return 'empty';
	}
	if ( preg_grep( '/\.zip$/i', array_merge( $names, $one ) ) ) {
		return 'nested';
	}
	return count( $names ) > 1 && array_filter( $names, function ( $name ) use ( $path ) {
		return is_dir( "$path/$name" );
	} ) ? 'several' : 'no_package';
}

/** Ends the run if the site is too old for a package. */
function easydash_assert_fits( $about, $staged ) {
	$have = array(
		'php'       => PHP_VERSION,
		'wordpress' => preg_replace( '/-.*$/', '', $GLOBALS['wp_version'] ),
	);
	foreach ( $have as $what => $version ) {
		$needed = $about['needs'][ $what ];
		if ( preg_match( '/^\d+(\.\d+){0,3}$/', $needed ) && version_compare( $version, $needed, '<' ) ) {
			easydash_remove( EASYDASH_STAGED . "/$staged" );
			easydash_result(
				array(
					'refused' => "needs_$what",
					'why'     => trim( $about['name'] . ' ' . $about['version'] ),
					'needed'  => $needed,
					'have'    => easydash_text( $version, 20 ),
				)
			);
			exit;
		}
	}
}

/** Says what was staged is, or removes it. */
function easydash_stage( $staged ) {
	easydash_remove_old( $staged );
	$folder = easydash_staged_folder( $staged );
	$about  = null;
	foreach ( array( 'plugin', 'theme' ) as $type ) {
		$about = $about ?? ( null === $folder ? null : easydash_about( $type, EASYDASH_STAGED . "/$staged/$folder", $folder ) );
		if ( null !== $about ) {
			break;
		}
	}
	if ( null === $about ) {
		$why = easydash_why_none( $staged );
		easydash_remove( EASYDASH_STAGED . "/$staged" );
		easydash_refuse( $why );
	}
	easydash_assert_fits( $about, $staged );
	$target    = easydash_home( $type ) . "/$folder";
	$installed = is_dir( $target ) ? easydash_about( $type, $target, $folder ) : null;
	return array(
		'type'      => $type,
		'name'      => $about['name'],
		'version'   => $about['version'],
		/* A folder that is no package is in the way, too. */
		'installed' => is_dir( $target ) ? ( $installed['version'] ?? '?' ) : null,
	);
}
