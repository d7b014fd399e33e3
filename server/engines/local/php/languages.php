<?php
/*
 * Puts a translation in place that was unpacked beside those in use. Input: staged (name of its folder), locale, safe. Result:
 * installed. Only files of translations of that locale are taken, never code: WordPress does not need its .php form of them.
 */
require '/internal/easydash/load.php';
require_once ABSPATH . 'wp-admin/includes/file.php';
WP_Filesystem();

$easydash_from  = WP_CONTENT_DIR . '/.easydash-previous/staged/' . basename( $easydash_input['staged'] );
$easydash_files = preg_grep(
	'/^(?:[a-z]{1,20}-){0,2}' . preg_quote( $easydash_input['locale'], '/' ) . '(?:-[0-9a-f]{32}\.json|\.(?:mo|po))$/',
	is_dir( $easydash_from ) ? (array) scandir( $easydash_from ) : array()
);
/* Without its main file the language can't be chosen. */
$easydash_main = $easydash_input['locale'] . '.mo';
$easydash_done = in_array( $easydash_main, $easydash_files, true ) && wp_mkdir_p( WP_LANG_DIR );
foreach ( array_merge( array_diff( $easydash_files, array( $easydash_main ) ), array( $easydash_main ) ) as $easydash_name ) {
	$easydash_file = "$easydash_from/$easydash_name";
	$easydash_done = $easydash_done && is_file( $easydash_file ) && ! is_link( $easydash_file ) && rename( $easydash_file, WP_LANG_DIR . "/$easydash_name" );
}
/* One of an earlier translation would be used instead of the new .mo file. */
foreach ( $easydash_done ? (array) glob( WP_LANG_DIR . '/*' . $easydash_input['locale'] . '.l10n.php' ) : array() as $easydash_old ) {
	unlink( $easydash_old );
}
if ( is_dir( $easydash_from ) ) {
	$wp_filesystem->delete( $easydash_from, true );
}
easydash_result( array( 'installed' => $easydash_done ) );
