<?php
/*
 * Puts a table of another database in place of the site's own, in parts of some seconds. No code of the site runs.
 * Input: file (name of the other database, beside the site's), table, after (row; null begins anew).
 * Result: after (null at the end), rows (at the end), problem.
 */
require '/internal/easydash/make-table.php';

final class Easydash_Table_Copy {
	const FOLDER = '/wordpress/wp-content/database/';
	/** Rows copied at once. */
	const BATCH   = 2000;
	const SECONDS = 20;

	private $pdo;
	private $table;

	public function __construct( $file, $table ) {
		$this->table = $table;
		$this->pdo   = new PDO( 'sqlite:' . self::FOLDER . '.ht.sqlite', null, null, array( PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_TIMEOUT => 20 ) );
		$this->pdo->exec( 'PRAGMA trusted_schema = OFF' );
		$this->pdo->prepare( 'ATTACH DATABASE ? AS stage' )->execute( array( self::FOLDER . $file ) );
	}

	/** Copies until the time is over. Returns where to go on; null at the end. */
	public function run( $after ) {
		$until = microtime( true ) + self::SECONDS;
		$names = easydash_column_names( $this->pdo, 'stage', $this->table );
		if ( ! $names ) {
			throw new Exception( "The backup has no table $this->table." );
		}
		if ( null === $after ) {
			$this->pdo->beginTransaction();
			easydash_remove_table( $this->pdo, $this->table );
			easydash_make_table( $this->pdo, $this->table );
			$this->pdo->commit();
			$after = PHP_INT_MIN;
		}
		$id      = current( array_diff( array( 'rowid', '_rowid_', 'oid' ), array_map( 'strtolower', $names ) ) );
		$table   = easydash_quoted( $this->table );
		$columns = implode( ', ', array_map( 'easydash_quoted', $names ) );
		$last    = $this->pdo->prepare( "SELECT max(r) FROM (SELECT $id AS r FROM stage.$table WHERE $id > ? ORDER BY $id LIMIT " . self::BATCH . ')' );
		$copy    = $this->pdo->prepare( "INSERT INTO main.$table ($columns) SELECT $columns FROM stage.$table WHERE $id > ? AND $id <= ? ORDER BY $id" );
		while ( microtime( true ) < $until ) {
			$last->execute( array( $after ) );
			$next = $last->fetchColumn();
			$last->closeCursor();
			if ( null === $next || false === $next ) {
				$this->count_on();
				return null;
			}
			$copy->execute( array( $after, $next ) );
			$after = (int) $next;
		}
		return $after;
	}

	/** The numbers of new rows go on where they went on then. */
	private function count_on() {
		foreach ( array( 'main', 'stage' ) as $schema ) {
			if ( ! easydash_column_names( $this->pdo, $schema, 'sqlite_sequence' ) ) {
				return;
			}
		}
		$this->pdo->prepare( 'DELETE FROM main.sqlite_sequence WHERE name = ?' )->execute( array( $this->table ) );
		$this->pdo->prepare( 'INSERT INTO main.sqlite_sequence SELECT * FROM stage.sqlite_sequence WHERE name = ?' )->execute( array( $this->table ) );
	}

	/** Rows of the table. Throws if it has others than the backup. */
	public function rows() {
		$table                = easydash_quoted( $this->table );
		list( $now, $wanted ) = $this->pdo->query( "SELECT (SELECT count(*) FROM main.$table), (SELECT count(*) FROM stage.$table)" )->fetch( PDO::FETCH_NUM );
		if ( (int) $now !== (int) $wanted ) {
			throw new Exception( "The table $this->table has $now rows instead of $wanted." );
		}
		return (int) $now;
	}
}

ini_set( 'memory_limit', '512M' );
$input  = json_decode( $_SERVER['EASYDASH_INPUT'], true );
$result = array( 'problem' => null, 'after' => null );
try {
	$copy            = new Easydash_Table_Copy( $input['file'], $input['table'] );
	$result['after'] = $copy->run( $input['after'] );
	if ( null === $result['after'] ) {
		$result['rows'] = $copy->rows();
	}
} catch ( Throwable $error ) {
	$result['problem'] = substr( $error->getMessage(), 0, 300 );
}
file_put_contents( $_SERVER['EASYDASH_RESULT'], json_encode( $result, JSON_INVALID_UTF8_SUBSTITUTE ) );
