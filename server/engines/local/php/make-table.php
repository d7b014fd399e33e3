<?php
/* Copies how a table is made from an attached database (`stage`) into the main one, with what the SQLite driver of WordPress knows about it. */

/** What the driver keeps about tables. */
const EASYDASH_ABOUT_TABLES = array( 'tables', 'columns', 'statistics', 'table_constraints', 'key_column_usage', 'check_constraints', 'referential_constraints' );

/** Makes a table that the main database does not have. */
function easydash_make_table( $pdo, $table ) {
	$query = $pdo->prepare( "SELECT sql FROM stage.sqlite_master WHERE tbl_name = ? AND type IN ('table', 'index', 'trigger') AND sql IS NOT NULL ORDER BY type = 'trigger', type = 'index'" );
	$query->execute( array( $table ) );
	foreach ( $query->fetchAll( PDO::FETCH_COLUMN ) as $sql ) {
		/*
		 * Code of the other site can write its own schema, anything behind its first statement included. So only the first is
		 * executed, which prepare() takes alone, and only if it makes what SQLite itself writes down for tables and indexes, or
		 * what the driver makes for columns that follow changes.
		 */
		if ( preg_match( '/^CREATE TRIGGER /', $sql ) ) {
			if ( ! preg_match( '/^CREATE TRIGGER [`"]_wp_sqlite_[^`"]{1,300}_on_update[`"]\s/', $sql ) ) {
				continue;
			}
		} elseif ( ! preg_match( '/^CREATE (?:TABLE|(?:UNIQUE )?INDEX) /', $sql ) ) {
			throw new Exception( 'The structure of a table is not one that can be made.' );
		}
		/* Without a schema it is made in the main database. */
		$pdo->prepare( $sql )->execute();
	}
	foreach ( easydash_about_tables( $pdo ) as $about => $names ) {
		$copy = $pdo->prepare( "INSERT OR IGNORE INTO main.$about ($names) SELECT $names FROM stage.$about WHERE TABLE_NAME = ?" );
		$copy->execute( array( $table ) );
	}
}

/** Removes a table of the main database. */
function easydash_remove_table( $pdo, $table ) {
	$pdo->exec( 'DROP TABLE IF EXISTS main.' . easydash_quoted( $table ) );
	foreach ( array_keys( easydash_about_tables( $pdo ) ) as $about ) {
		$pdo->prepare( "DELETE FROM main.$about WHERE TABLE_NAME = ?" )->execute( array( $table ) );
	}
}

/** The tables with what the driver knows, and the columns that both databases have. */
function easydash_about_tables( $pdo ) {
	$found = array();
	foreach ( EASYDASH_ABOUT_TABLES as $part ) {
		$about  = "_wp_sqlite_mysql_information_schema_$part";
		$common = array_intersect( easydash_column_names( $pdo, 'stage', $about ), easydash_column_names( $pdo, 'main', $about ) );
		if ( in_array( 'TABLE_NAME', $common, true ) ) {
			$found[ $about ] = implode( ', ', array_map( 'easydash_quoted', $common ) );
		}
	}
	return $found;
}

/** Names of a table's columns; none without the table. */
function easydash_column_names( $pdo, $schema, $table ) {
	return array_column( $pdo->query( "PRAGMA $schema.table_info(" . easydash_quoted( $table ) . ')' )->fetchAll( PDO::FETCH_ASSOC ), 'name' );
}

/** Quotes a name for SQLite. */
function easydash_quoted( $name ) {
	return '"' . str_replace( '"', '""', $name ) . '"';
}
