<?php
/*
 * Compares files with their checksums. Loads nothing of the site, so its code can't change the result. Input: folder (of a plugin or theme
 * below that of WordPress; null: WordPress itself), most (paths of a list), and either checksums (path => MD5; empty: any content) or, to find
 * what was added, known (the first 16 digits of the MD5 of each path, of those that begin with first); without both, to learn the package.
 * Result: version and locale (of a package in another language), or checked, changed, added, missing, truncated.
 */
$easydash_input = json_decode( $_SERVER['EASYDASH_INPUT'], true );
const EASYDASH_MOST_SCANNED = 50000;

/** Files below a folder of WordPress itself, bounded. */
function easydash_files( $folder ) {
	$waiting = array( $folder );
	$files   = array();
	while ( $waiting && count( $files ) < EASYDASH_MOST_SCANNED ) {
		$at = array_pop( $waiting );
		foreach ( (array) @scandir( '/wordpress/' . $at ) as $name ) {
			if ( '.' === $name || '..' === $name || false === $name ) {
				continue;
			}
			if ( is_dir( "/wordpress/$at/$name" ) && ! is_link( "/wordpress/$at/$name" ) ) {
				$waiting[] = "$at/$name";
			} else {
				$files[] = "$at/$name";
			}
		}
	}
	return $files;
}

/** The files that belong to a package, or to nobody. */
function easydash_own_files( $folder ) {
	if ( null !== $folder ) {
		return array_map( fn( $path ) => substr( $path, strlen( $folder ) + 1 ), easydash_files( $folder ) );
	}
	$own = array_merge( easydash_files( 'wp-admin' ), easydash_files( 'wp-includes' ) );
	foreach ( (array) scandir( '/wordpress' ) as $name ) {
		if ( is_file( "/wordpress/$name" ) && preg_match( '/^(?:wp-.*|index|xmlrpc)\.php$/i', $name ) && 'wp-config.php' !== $name ) {
			$own[] = $name;
		}
	}
	return $own;
}

function easydash_compare( $folder, $checksums, $known, $first, $most ) {
	/* Many people delete these, and nothing runs them. */
	$optional = null === $folder ? array( 'readme.html', 'license.txt', 'wp-config-sample.php' ) : array();
	$home     = '/wordpress/' . ( null === $folder ? '' : "$folder/" );
	$found    = array(
		'changed' => array(),
		'added'   => array(),
		'missing' => array(),
	);
	$checked  = 0;
	foreach ( $checksums ?? array() as $path => $sum ) {
		$file = $home . $path;
		if ( ! is_file( $file ) ) {
			if ( ! in_array( $path, $optional, true ) ) {
				$found['missing'][] = $path;
			}
			continue;
		}
		++$checked;
		if ( '' !== $sum && md5_file( $file ) !== $sum ) {
			$found['changed'][] = $path;
		}
	}
	if ( null !== $known ) {
		$known = array_flip( $known );
		foreach ( easydash_own_files( $folder ) as $path ) {
			$key = substr( md5( $path ), 0, 16 );
			if ( str_starts_with( $key, $first ) && ! isset( $known[ $key ] ) ) {
				$found['added'][] = $path;
			}
		}
	}
	$truncated = false;
	foreach ( $found as $kind => $paths ) {
		$truncated      = $truncated || count( $paths ) > $most;
		$found[ $kind ] = array_map(
			function ( $path ) {
				return mb_substr( mb_scrub( (string) $path, 'UTF-8' ), 0, 300, 'UTF-8' );
			},
			array_slice( $paths, 0, $most )
		);
	}
	return $found + array(
		'checked'   => $checked,
		'truncated' => $truncated,
	);
}

if ( isset( $easydash_input['checksums'] ) || isset( $easydash_input['known'] ) ) {
	$easydash_value = easydash_compare(
		$easydash_input['folder'],
		$easydash_input['checksums'] ?? null,
		$easydash_input['known'] ?? null,
		$easydash_input['first'] ?? '',
		$easydash_input['most']
	);
} else {
	$easydash_text = (string) @file_get_contents( '/wordpress/wp-includes/version.php', false, null, 0, 10000 );
	preg_match( '/\$wp_version\s*=\s*\'([\w.-]{1,40})\';/', $easydash_text, $easydash_match );
	preg_match( '/\$wp_local_package\s*=\s*\'(\w{2,20})\';/', $easydash_text, $easydash_package );
	$easydash_value = array(
		'version' => $easydash_match[1] ?? '',
		'locale'  => $easydash_package[1] ?? '',
	);
}
file_put_contents( $_SERVER['EASYDASH_RESULT'], json_encode( $easydash_value, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE ) );
