<?php
/*
 * Compares the files of WordPress with their checksums. Loads nothing of the site, so its code can't change the result.
 * Input: checksums (path => MD5), or none to learn the version; with folder those of a plugin or theme below it, and known (the first
 * 16 digits of the MD5 of each path) to find what was added. Result: version, or checked, changed, added, missing, truncated.
 */
$easydash_input = json_decode( $_SERVER['EASYDASH_INPUT'], true );
const EASYDASH_MOST = 500;
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

function easydash_compare( $checksums ) {
	/* Many people delete these, and nothing runs them. */
	$optional = array( 'readme.html', 'license.txt', 'wp-config-sample.php' );
	$found    = array(
		'changed' => array(),
		'added'   => array(),
		'missing' => array(),
	);
	$checked  = 0;
	foreach ( $checksums as $path => $sum ) {
		$file = '/wordpress/' . $path;
		if ( ! is_file( $file ) ) {
			if ( ! in_array( $path, $optional, true ) ) {
				$found['missing'][] = $path;
			}
			continue;
		}
		++$checked;
		if ( md5_file( $file ) !== $sum ) {
			$found['changed'][] = $path;
		}
	}
	$own = array_merge( easydash_files( 'wp-admin' ), easydash_files( 'wp-includes' ) );
	foreach ( (array) scandir( '/wordpress' ) as $name ) {
		if ( is_file( "/wordpress/$name" ) && preg_match( '/^(?:wp-.*|index|xmlrpc)\.php$/i', $name ) && 'wp-config.php' !== $name ) {
			$own[] = $name;
		}
	}
	foreach ( $own as $path ) {
		if ( ! isset( $checksums[ $path ] ) ) {
			$found['added'][] = $path;
		}
	}
	$truncated = false;
	foreach ( $found as $kind => $paths ) {
		$truncated      = $truncated || count( $paths ) > EASYDASH_MOST;
		$found[ $kind ] = array_map(
			function ( $path ) {
				return mb_substr( mb_scrub( $path, 'UTF-8' ), 0, 300, 'UTF-8' );
			},
			array_slice( $paths, 0, EASYDASH_MOST )
		);
	}
	return $found + array(
		'checked'   => $checked,
		'truncated' => $truncated,
	);
}

/** The same for a plugin or theme. Lists are shorter, because a site has many. */
function easydash_compare_package( $folder, $checksums, $known ) {
	$found   = array(
		'changed' => array(),
		'added'   => array(),
		'missing' => array(),
	);
	$checked = 0;
	foreach ( $checksums as $path => $sum ) {
		$file = "/wordpress/$folder/$path";
		if ( ! is_file( $file ) ) {
			$found['missing'][] = $path;
			continue;
		}
		++$checked;
		if ( '' !== $sum && md5_file( $file ) !== $sum ) {
			$found['changed'][] = $path;
		}
	}
	if ( null !== $known ) {
		$known = array_flip( $known );
		foreach ( easydash_files( $folder ) as $path ) {
			$path = substr( $path, strlen( $folder ) + 1 );
			if ( ! isset( $known[ substr( md5( $path ), 0, 16 ) ] ) ) {
				$found['added'][] = $path;
			}
		}
	}
	$truncated = false;
	foreach ( $found as $kind => $paths ) {
		$truncated      = $truncated || count( $paths ) > 100;
		$found[ $kind ] = array_map(
			function ( $path ) {
				return mb_substr( mb_scrub( (string) $path, 'UTF-8' ), 0, 300, 'UTF-8' );
			},
			array_slice( $paths, 0, 100 )
		);
	}
	return $found + array(
		'checked'   => $checked,
		'truncated' => $truncated,
	);
}

if ( isset( $easydash_input['folder'] ) ) {
	$easydash_value = easydash_compare_package( $easydash_input['folder'], $easydash_input['checksums'], $easydash_input['known'] ?? null );
} elseif ( isset( $easydash_input['checksums'] ) ) {
	$easydash_value = easydash_compare( $easydash_input['checksums'] );
} else {
	$easydash_text = (string) @file_get_contents( '/wordpress/wp-includes/version.php', false, null, 0, 10000 );
	preg_match( '/\$wp_version\s*=\s*\'([\w.-]{1,40})\';/', $easydash_text, $easydash_match );
	$easydash_value = array( 'version' => $easydash_match[1] ?? '' );
}
file_put_contents( $_SERVER['EASYDASH_RESULT'], json_encode( $easydash_value, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE ) );
