<?php
/* What is left to do once the tables and rows of a dump are in the database. */

/** Tells WordPress which tables are its own. */
function easydash_use_prefix( $prefix ) {
	$config = '/wordpress/wp-config.php';
	$before = file_get_contents( $config );
	$after  = preg_replace( '/^\$table_prefix = \'\w*\';/m', "\$table_prefix = '$prefix';", $before, 1 );
	if ( $after !== $before ) {
		file_put_contents( $config, $after );
		opcache_invalidate( $config, true );
	}
}

/** The names of options and of users' data that begin with the prefix get the new one, where none has it. */
function easydash_rename_keys( $pdo, $prefix, $new_prefix, $update ) {
	foreach ( array( array( 'options', 'option_name' ), array( 'usermeta', 'meta_key' ) ) as list( $table, $column ) ) {
		$query  = $pdo->prepare(
			"$update " . easydash_name( $new_prefix . $table ) . " SET $column = ? || substr($column, ?) WHERE substr($column, 1, ?) = ?"
		);
		$length = strlen( $prefix );
		$query->bindValue( 1, $new_prefix );
		$query->bindValue( 2, $length + 1, PDO::PARAM_INT );
		$query->bindValue( 3, $length, PDO::PARAM_INT );
		$query->bindValue( 4, $prefix );
		$query->execute();
	}
}

/** What was active, where the dump doesn't say it. */
function easydash_activate( $pdo, $prefix, $active ) {
	$values  = array(
		'active_plugins' => serialize( $active['plugins'] ),
		'template'       => $active['template'],
		'stylesheet'     => $active['stylesheet'],
	);
	$options = easydash_name( $prefix . 'options' );
	$exists  = $pdo->prepare( "SELECT 1 FROM $options WHERE option_name = ?" );
	$insert  = $pdo->prepare( "INSERT INTO $options (option_name, option_value, autoload) VALUES (?, ?, 'yes')" );
	foreach ( $values as $name => $value ) {
		$exists->execute( array( $name ) );
		if ( null !== $value && ! $exists->fetchAll() ) {
			$insert->execute( array( $name, $value ) );
		}
	}
}
