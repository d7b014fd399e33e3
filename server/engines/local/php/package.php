<?php
/*
 * Installs a plugin or theme that was unpacked beside those in use, or undoes and repeats such changes. Input: act (stage, discard,
 * install, roll_back or undo), staged (name of its folder), operation, type (plugin or theme), id for roll_back, replace for
 * install, safe. Result: of stage type, name, version and installed; of the others id, name, version and replaced (version before or
 * null); or refused with why.
 *
 * What is replaced is kept beside its folder, in a hidden one that is neither served nor run: one version of each. Each operation is
 * written down before anything is moved, so that one that was cut off is completed or taken back by the next run.
 */
require '/internal/easydash/load.php';
require_once ABSPATH . 'wp-admin/includes/file.php';
WP_Filesystem();

const EASYDASH_KEPT = WP_CONTENT_DIR . '/.easydash-previous';
const EASYDASH_LAST = EASYDASH_KEPT . '/last.json';
require '/internal/easydash/package-staged.php';

/** Ends the run without a change. */
function easydash_refuse( $code, $why = '' ) {
	easydash_result(
		array(
			'refused' => $code,
			'why'     => easydash_text( $why, 300 ),
		)
	);
	exit;
}

function easydash_remove( $folder ) {
	if ( is_dir( $folder ) ) {
		$GLOBALS['wp_filesystem']->delete( $folder, true );
	}
}

function easydash_home( $type ) {
	return 'plugin' === $type ? WP_PLUGIN_DIR : get_theme_root();
}

function easydash_kept( $type, $folder ) {
	return EASYDASH_KEPT . "/{$type}s/$folder";
}

/** What a folder contains: its main file (plugins) or name (themes), title and version; null if it is none of that type. */
function easydash_about( $type, $path, $folder ) {
	if ( 'theme' === $type ) {
		$headers = array(
			'Name'        => 'Theme Name',
			'Version'     => 'Version',
			'RequiresWP'  => 'Requires at least',
			'RequiresPHP' => 'Requires PHP',
		);
		$data    = is_file( "$path/style.css" ) ? get_file_data( "$path/style.css", $headers ) : array( 'Name' => '' );
		$id      = $folder;
	} else {
		$data = array( 'Name' => '' );
		$id   = '';
		foreach ( array_slice( (array) glob( "$path/*.php" ), 0, 100 ) as $file ) {
			$data = get_plugin_data( $file, false, false );
			$id   = $folder . '/' . basename( $file );
			if ( '' !== $data['Name'] ) {
				break;
			}
		}
	}
	return '' === $data['Name'] ? null : array(
		'id'      => easydash_text( $id ),
		'name'    => easydash_text( $data['Name'] ),
		'version' => easydash_text( $data['Version'], 40 ),
		'needs'   => array(
			'php'       => easydash_text( $data['RequiresPHP'] ?? '', 20 ),
			'wordpress' => easydash_text( $data['RequiresWP'] ?? '', 20 ),
		),
	);
}

/** What the last operation did, or null. */
function easydash_last() {
	$last = json_decode( (string) @file_get_contents( EASYDASH_LAST ), true );
	return is_array( $last ) && preg_match( '/^[\w.-]+$/', $last['folder'] ?? '' ) ? $last : null;
}

/** Returns whether it is written down: a full disk leaves what was there before. */
function easydash_write_last( $last ) {
	wp_mkdir_p( EASYDASH_KEPT );
	$text = json_encode( $last );
	return strlen( $text ) === @file_put_contents( EASYDASH_LAST . '.new', $text ) && rename( EASYDASH_LAST . '.new', EASYDASH_LAST );
}

/** After an operation that was cut off: it is done if the new one is in place; otherwise everything goes back. */
function easydash_recover() {
	$last = easydash_last();
	if ( null === $last || 'begun' !== ( $last['state'] ?? '' ) ) {
		return;
	}
	$target = easydash_home( $last['type'] ) . '/' . $last['folder'];
	$kept   = easydash_kept( $last['type'], $last['folder'] );
	$aside  = EASYDASH_KEPT . '/incoming';
	if ( ! is_dir( $aside ) && is_dir( $target ) && ( $last['from_kept'] || is_dir( $kept ) || ! $last['replaced'] ) ) {
		easydash_write_last( array( 'state' => 'done' ) + $last );
		return;
	}
	if ( ! is_dir( $target ) && is_dir( $kept ) ) {
		rename( $kept, $target );
	}
	if ( $last['from_kept'] && is_dir( $aside ) ) {
		easydash_remove( $kept );
		rename( $aside, $kept );
	}
	/* Its job tries again with what was staged. */
	$staged = (string) ( $last['staged'] ?? '' );
	if ( is_dir( $aside ) && easydash_is_staged( $staged ) && ! is_dir( EASYDASH_STAGED . "/$staged/" . $last['folder'] ) ) {
		wp_mkdir_p( EASYDASH_STAGED . "/$staged" );
		rename( $aside, EASYDASH_STAGED . "/$staged/" . $last['folder'] );
	}
	unlink( EASYDASH_LAST );
}

/** Moves what is in use out of the way and the new one in; returns what it then is. */
function easydash_swap( $type, $folder, $fresh ) {
	$target    = easydash_home( $type ) . "/$folder";
	$kept      = easydash_kept( $type, $folder );
	$aside     = EASYDASH_KEPT . '/incoming';
	$before    = is_dir( $target ) ? easydash_about( $type, $target, $folder ) : null;
	$operation = array(
		'operation' => $GLOBALS['easydash_input']['operation'],
		'type'      => $type,
		'folder'    => $folder,
		'replaced'  => is_dir( $target ),
		'from_kept' => $fresh === $kept,
		'staged'    => $GLOBALS['easydash_input']['staged'] ?? null,
	);
	wp_mkdir_p( dirname( $kept ) );
	easydash_remove( $aside );
	if ( ! easydash_write_last( array( 'state' => 'begun' ) + $operation ) ) {
		easydash_refuse( 'no_room' );
	}
	/* The new one may be what is kept, so it is moved before the old one takes its place. */
	$moved = rename( $fresh, $aside );
	if ( $moved ) {
		easydash_remove( $kept );
		$moved = ( ! is_dir( $target ) || rename( $target, $kept ) ) && rename( $aside, $target );
	}
	if ( ! $moved ) {
		easydash_recover();
		easydash_refuse( 'failed' );
	}
	easydash_write_last( array( 'state' => 'done' ) + $operation );
	wp_clean_plugins_cache( false );
	wp_clean_themes_cache( false );
	return easydash_about( $type, $target, $folder ) + array( 'replaced' => $before['version'] ?? null );
}

/** Moves what was staged into place. */
function easydash_install( $type, $staged, $replace ) {
	$folder = easydash_staged_folder( $staged );
	if ( ! is_dir( EASYDASH_STAGED . "/$staged" ) ) {
		easydash_refuse( 'not_staged' );
	}
	$fresh = EASYDASH_STAGED . "/$staged/$folder";
	$about = null === $folder ? null : easydash_about( $type, $fresh, $folder );
	if ( null === $about ) {
		$other    = 'plugin' === $type ? 'theme' : 'plugin';
		$is_other = null !== $folder && null !== easydash_about( $other, $fresh, $folder );
		easydash_refuse( $is_other ? "is_$other" : easydash_why_none( $staged ) );
	}
	easydash_assert_fits( $about, $staged );
	if ( is_dir( easydash_home( $type ) . "/$folder" ) && ! $replace ) {
		easydash_refuse( 'exists', $about['name'] );
	}
	$done = easydash_swap( $type, $folder, $fresh );
	easydash_remove( EASYDASH_STAGED . "/$staged" );
	return $done;
}

/** Puts the version before back into place; what is there now becomes the one that is kept. */
function easydash_roll_back( $type, $id ) {
	$folder = 'plugin' === $type ? dirname( $id ) : $id;
	$kept   = easydash_kept( $type, $folder );
	if ( '.' === $folder || ! is_dir( $kept ) ) {
		easydash_refuse( 'missing' );
	}
	return easydash_swap( $type, $folder, $kept );
}

/** Undoes what an operation did; nothing if it did nothing, or another one came after it. */
function easydash_undo( $operation ) {
	$last = easydash_last();
	$none = array(
		'id'       => '',
		'name'     => '',
		'version'  => '',
		'replaced' => null,
	);
	if ( null === $last || $last['operation'] !== $operation ) {
		return $none;
	}
	$type = 'theme' === $last['type'] ? 'theme' : 'plugin';
	if ( $last['replaced'] ) {
		/* What is undone is no operation any more: undone again, it stays undone, and done again, it is done. */
		$GLOBALS['easydash_input']['operation'] = '';
		return easydash_swap( $type, $last['folder'], easydash_kept( $type, $last['folder'] ) );
	}
	$target = easydash_home( $type ) . '/' . $last['folder'];
	$about  = easydash_about( $type, $target, $last['folder'] );
	easydash_remove( $target );
	unlink( EASYDASH_LAST );
	return ( $about ?? array() ) + $none;
}

/** What this operation did already; null if it has done nothing yet. */
function easydash_repeated( $operation ) {
	$last = easydash_last();
	if ( null === $last || $last['operation'] !== $operation ) {
		return null;
	}
	$home  = easydash_home( $last['type'] );
	$about = easydash_about( $last['type'], $home . '/' . $last['folder'], $last['folder'] );
	$kept  = easydash_kept( $last['type'], $last['folder'] );
	return null === $about ? null : $about + array(
		'replaced' => is_dir( $kept ) ? ( easydash_about( $last['type'], $kept, $last['folder'] )['version'] ?? null ) : null,
	);
}

easydash_recover();
$easydash_type   = 'theme' === ( $easydash_input['type'] ?? '' ) ? 'theme' : 'plugin';
$easydash_staged = (string) ( $easydash_input['staged'] ?? '' );
if ( '' !== $easydash_staged && ! easydash_is_staged( $easydash_staged ) ) {
	easydash_refuse( 'not_staged' );
}
$easydash_done = in_array( $easydash_input['act'], array( 'install', 'roll_back' ), true ) ? easydash_repeated( $easydash_input['operation'] ) : null;
if ( null !== $easydash_done ) {
	easydash_result( $easydash_done );
	exit;
}
switch ( $easydash_input['act'] ) {
	case 'stage':
		$easydash_done = easydash_stage( $easydash_staged );
		break;
	case 'discard':
		easydash_remove( EASYDASH_STAGED . "/$easydash_staged" );
		$easydash_done = array( 'done' => true );
		break;
	case 'install':
		$easydash_done = easydash_install( $easydash_type, $easydash_staged, ! empty( $easydash_input['replace'] ) );
		break;
	case 'roll_back':
		$easydash_done = easydash_roll_back( $easydash_type, $easydash_input['id'] );
		break;
	default:
		$easydash_done = easydash_undo( $easydash_input['operation'] );
}
easydash_result( $easydash_done );
