<?php
/*
 * Lists plugins without waiting for the rest of WordPress. Result: plugins as in `wordPressFacts`, in
 * shared/responses/wordpress.ts.
 */
define( 'SHORTINIT', true );
require '/internal/easydash/load.php';
require '/internal/easydash/plugin-list.php';

$easydash_found = easydash_all_plugins();
easydash_result( array( 'plugins' => strlen( json_encode( $easydash_found ) ) > 80000 ? easydash_shorten( $easydash_found ) : $easydash_found ) );
