<?php
/* Required by scripts that read or write the rows of options. */

/** Has WordPress read options anew. A flush would empty the Redis that all sites of a server can have. */
function easydash_forget_options( $names ) {
	foreach ( array_merge( array( 'alloptions', 'notoptions' ), $names ) as $name ) {
		wp_cache_delete( $name, 'options' );
	}
}
