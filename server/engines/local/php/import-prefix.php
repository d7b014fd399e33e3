<?php
/* What a dump says about its site before it is imported, for `import.php`. */

/** Finds the prefix of the tables of WordPress in a dump: the one of which there are options, posts and users. */
function easydash_find_prefix( $path ) {
	$reader = new Easydash_Sql_Reader( $path, 0, ';' );
	$found  = array();
	$until  = microtime( true ) + 40;
	for ( $sql = $reader->next(); null !== $sql && microtime( true ) < $until; $sql = $reader->next() ) {
		if ( preg_match( '/^CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?[`"]?([A-Za-z0-9_]{0,40})(options|posts|users)[`"]?[\s(]/i', $sql, $match ) ) {
			$found[ $match[1] ][ strtolower( $match[2] ) ] = true;
		}
	}
	$complete = array_keys(
		array_filter(
			$found,
			function ( $tables ) {
				return 3 === count( $tables );
			}
		)
	);
	return array_map( 'strval', $complete );
}
