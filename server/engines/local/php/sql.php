<?php
/*
 * Runs one statement in the MySQL of the site's own driver, or takes back what the last one changed. No code of the site runs
 * besides the driver.
 * Input: do (read, write or undo; judge: see `sql-mysql.php`), sql, undo, anyway, limits; mysql: the database is MySQL (what to connect with
 * to read, or `own`: as the site itself; null to write, which the site does). Result: `found`, or `problem` (writes, late, sql, room, gone,
 * changed or failed; refused: as sql, of what did not begin to run).
 * A statement to read has a connection that cannot write: whether a statement writes is found out by trying, not by reading it.
 */
require '/internal/easydash/sql-result.php';

final class Easydash_Sql {
	use Easydash_Sql_Result;

	const DATABASE = '/wordpress/wp-content/database/.ht.sqlite';
	const DRIVER   = '/wordpress/wp-content/mu-plugins/sqlite-database-integration/wp-includes/database/load.php';
	/** The state before the last change, what is known of it, and a copy that is being made. Hidden names are never served. */
	const COPY   = '/wordpress/wp-content/database/.ht.easydash-undo.sqlite';
	const ABOUT  = '/wordpress/wp-content/database/.ht.easydash-undo.json';
	const MAKING = '/wordpress/wp-content/database/.ht.easydash-undo-new.sqlite';

	private $limits;

	public function __construct( $limits ) {
		$this->limits = $limits;
		$this->remove( self::MAKING );
	}

	public function read( $sql ) {
		/* What a killed process left in its journal has to be undone first, which a reader must not do. */
		if ( is_file( self::DATABASE . '-journal' ) ) {
			$this->pdo( false )->query( 'SELECT count(*) FROM sqlite_master' )->fetchAll();
		}
		$pdo = $this->pdo( true );
		$pdo->exec( 'PRAGMA query_only = 1' );
		try {
			return $this->run( $pdo, $sql );
		} catch ( Easydash_Problem $problem ) {
			throw false === strpos( $problem->why, 'readonly database' ) ? $problem : new Easydash_Problem( 'writes' );
		}
	}

	public function write( $sql ) {
		$before = $this->counter( self::DATABASE );
		$this->copy( self::DATABASE, self::MAKING );
		try {
			$found = $this->run( $this->pdo( false ), $sql );
		} catch ( Easydash_Problem $problem ) {
			$this->remove( self::MAKING );
			throw $problem;
		}
		$after = $this->counter( self::DATABASE );
		if ( $before === $after ) {
			$this->remove( self::MAKING );
			return $found;
		}
		return array( 'undo' => $this->keep( $after ) ) + $found;
	}

	public function undo( $id, $anyway ) {
		$about = is_file( self::ABOUT ) && is_file( self::COPY ) ? json_decode( file_get_contents( self::ABOUT ), true ) : null;
		if ( ! is_array( $about ) || ( $about['id'] ?? null ) !== $id ) {
			throw new Easydash_Problem( 'gone' );
		}
		if ( ! $anyway && ( $about['counter'] ?? null ) !== $this->counter( self::DATABASE ) ) {
			throw new Easydash_Problem( 'changed' );
		}
		$this->copy( self::DATABASE, self::MAKING );
		$this->copy( self::COPY, self::DATABASE );
		return array( 'undo' => $this->keep( $this->counter( self::DATABASE ) ) );
	}

	/** The new copy becomes the one that can be put back. Returns its name. */
	private function keep( $counter ) {
		$id = bin2hex( random_bytes( 8 ) );
		$this->remove( self::ABOUT );
		rename( self::MAKING, self::COPY );
		file_put_contents( self::ABOUT, json_encode( array( 'id' => $id, 'counter' => $counter ) ) );
		return $id;
	}

	/** Copies a database in a state that is complete, also while others use either of them. */
	private function copy( $from, $to ) {
		try {
			$source = new SQLite3( $from, SQLITE3_OPEN_READWRITE );
			$target = new SQLite3( $to );
			foreach ( array( $source, $target ) as $one ) {
				$one->enableExceptions( true );
				$one->busyTimeout( 10000 );
			}
			$done = $source->backup( $target );
			$target->close();
			$source->close();
		} catch ( Exception $error ) {
			$done = false;
		}
		if ( ! $done ) {
			$this->remove( self::MAKING );
			throw new Easydash_Problem( 'room' );
		}
	}

	/** SQLite counts the changes of a file in its header. */
	private function counter( $file ) {
		clearstatcache();
		return bin2hex( (string) file_get_contents( $file, false, null, 24, 4 ) );
	}

	private function remove( $file ) {
		foreach ( array( '', '-journal' ) as $end ) {
			if ( file_exists( $file . $end ) ) {
				unlink( $file . $end );
			}
		}
	}

	private function pdo( $readonly ) {
		$class = PHP_VERSION_ID >= 80400 ? 'Pdo\Sqlite' : 'PDO';
		$flags = PHP_VERSION_ID >= 80400 ? constant( 'Pdo\Sqlite::ATTR_OPEN_FLAGS' ) : constant( 'PDO::SQLITE_ATTR_OPEN_FLAGS' );
		/* SQLITE_OPEN_READONLY is 1, SQLITE_OPEN_READWRITE is 2. */
		return new $class( 'sqlite:' . self::DATABASE, null, null, array( PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_TIMEOUT => 10, $flags => $readonly ? 1 : 2 ) );
	}

	/** Runs the statement. Throws Easydash_Problem `sql` with what the driver says. */
	private function run( $pdo, $sql ) {
		if ( ! is_file( self::DRIVER ) ) {
			throw new Easydash_Problem( 'failed', 'The driver is missing.' );
		}
		require_once self::DRIVER;
		$started = microtime( true );
		try {
			$driver    = new WP_MySQL_On_SQLite( 'mysql-on-sqlite:dbname=wordpress', null, null, array( 'sqlite_pdo' => $pdo, 'sqlite_journal_mode' => 'DELETE' ) );
			$statement = $driver->query( $sql );
			$columns   = array();
			$width     = $statement ? $statement->columnCount() : 0;
			for ( $number = 0; $number < min( $width, $this->limits['columns'] ); ++$number ) {
				$meta      = $statement->getColumnMeta( $number );
				$columns[] = $this->label( $meta['name'] ?? '' );
			}
			$rows = array();
			while ( $width > 0 && count( $rows ) <= $this->limits['result'] && is_array( $row = $statement->fetch( PDO::FETCH_NUM ) ) ) {
				$rows[] = array_map( array( $this, 'cell' ), array_slice( $row, 0, count( $columns ) ) );
			}
			$affected = $width > 0 || ! $statement ? null : max( 0, $statement->rowCount() );
			if ( $driver->inTransaction() ) {
				$driver->rollBack();
			}
		} catch ( Throwable $error ) {
			throw new Easydash_Problem( 'sql', $error->getMessage() );
		}
		return $this->found( $columns, $width, $rows, $affected, $started );
	}
}

$input = json_decode( $_SERVER['EASYDASH_INPUT'], true );
$store = fn( $result ) => file_put_contents( $_SERVER['EASYDASH_RESULT'], Easydash_Problem::json( $result ) );
/* A result that does not fit into memory ends the run. */
register_shutdown_function(
	function () use ( $store ) {
		$error = error_get_last();
		if ( $error && ! file_exists( $_SERVER['EASYDASH_RESULT'] ) ) {
			$store( array( 'problem' => 'sql', 'why' => strtok( $error['message'], "\n" ) ) );
		}
	}
);
try {
	if ( array_key_exists( 'mysql', $input ) ) {
		require '/internal/easydash/sql-mysql.php';
		$sql = new Easydash_Mysql_Sql( $input['limits'], 'own' === $input['mysql'] ? easydash_login() : $input['mysql'] );
	} else {
		$sql = new Easydash_Sql( $input['limits'] );
	}
	$store( array( 'found' => 'undo' === $input['do'] ? $sql->undo( $input['undo'], ! empty( $input['anyway'] ) ) : $sql->{$input['do']}( $input['sql'] ) ) );
} catch ( Easydash_Problem $problem ) {
	$store( array( 'problem' => $problem->getMessage(), 'why' => $problem->why ) );
} catch ( Throwable $error ) {
	$store( array( 'problem' => 'failed', 'why' => mb_substr( mb_scrub( $error->getMessage(), 'UTF-8' ), 0, 300, 'UTF-8' ) ) );
}
