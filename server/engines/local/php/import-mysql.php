<?php
/*
 * The same for a site on MySQL, as the user of its database. Statements are sent one at a time, so nothing in one can become another;
 * views and triggers lose the account they belonged to.
 */
require '/internal/easydash/mysql.php';

final class Easydash_Mysql_Import extends Easydash_Import {
	const UPDATE_IGNORE = 'UPDATE IGNORE';
	const NAME    = '(?:`((?:[^`]|``){1,64})`|([A-Za-z0-9_$]{1,64}+))(?!\s*\.)';
	const ACCOUNT = '(?:`(?:[^`]|``){0,128}`|\'[^\']{0,128}\'|[\w$%.-]{1,128})';
	/** Where a hint for some versions may end and the next one begin; never tried in another way. */
	const HINT = '\s*+(?:\*\/\s*+)?+(?:\/\*M?!\d{0,6}+\s*+)?+';
	/** Collations of newer versions: MySQL 8's, and MariaDB 11's. */
	const COLLATIONS = '/\butf8mb4_(?:0900|uca1400)_\w+/i';
	const UNKNOWN_COLLATION = 1273;
	/** Formats of rows of other engines, which MySQL's InnoDB refuses in strict mode. */
	const FORMATS        = '/\bROW_FORMAT\s{0,9}=?\s{0,9}(?:FIXED|PAGE)\b/i';
	const UNKNOWN_OPTION = array( 1031, 1478 );
	/** The server is gone. */
	const GONE = array( 2006, 2013, 1927, 1053 );

	private $mysql;

	protected function open() {
		$login       = easydash_login();
		$this->pdo   = easydash_mysql_pdo( $login );
		$this->mysql = easydash_mysql( $login );
		/* A value that does not fit is refused and named, never cut; zero dates are values. Without unique_checks, MariaDB
		   would replace rows of an equal key. */
		$this->mysql->query( "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO', foreign_key_checks = 0, time_zone = '+00:00'" );
		try {
			/* Formats of rows that InnoDB does not have are those of other engines. MySQL lets no ordinary user say so. */
			$this->mysql->query( 'SET SESSION innodb_strict_mode = 0' );
		} catch ( mysqli_sql_exception $error ) {
			$this->rethrow( $error );
		}
		$this->mysql->autocommit( false );
	}

	protected function statement( $sql ) {
		if ( ! $this->make( $sql ) ) {
			parent::statement( $sql );
		}
	}

	/** Makes a view or trigger. False if the statement is another one. */
	private function make( $sql ) {
		$head = '/^' . self::HINT . 'CREATE\b' . self::HINT . '(?:OR\s++REPLACE\b)?+' . self::HINT . '(?:ALGORITHM\s*+=\s*+\w{1,20}+)?+' . self::HINT
			. '(?:DEFINER\s*+=\s*+' . self::ACCOUNT . '(?:\s*+@\s*+' . self::ACCOUNT . ')?+)?+' . self::HINT . '(SQL\s++SECURITY\s++\w{1,10}+)?+' . self::HINT
			. '(VIEW|TRIGGER)\s++(?:IF\s++NOT\s++EXISTS\s++)?+' . self::NAME . '/i';
		if ( ! preg_match( '/\b(?:VIEW|TRIGGER)\b/i', substr( $sql, 0, 600 ) ) || ! preg_match( $head, $sql, $found ) ) {
			return false;
		}
		$rest = substr( $sql, strlen( $found[0] ) );
		/* The end of the last hint. */
		if ( substr_count( $found[0], '/*' ) > substr_count( $found[0], '*/' ) ) {
			$rest = preg_replace( '/\*\/\s*$/', '', $rest );
		}
		$is_view = 0 === strcasecmp( $found[2], 'VIEW' );
		$name    = str_replace( '``', '`', '' !== $found[3] ? $found[3] : $found[4] );
		$about   = $name;
		if ( ! $is_view ) {
			$about = preg_match( '/^\s+(?:BEFORE|AFTER)\s+\w{1,10}\s+ON\s+' . self::NAME . '/i', $rest, $on ) ? str_replace( '``', '`', '' !== $on[1] ? $on[1] : $on[2] ) : '';
		}
		if ( $this->new_prefix !== $this->prefix || '' === $about ) {
			$this->defect( 'not_imported', "CREATE $found[2] $name" );
		} elseif ( $this->is_own( $about ) ) {
			$this->settle();
			/* A dump makes a table or view of this name first, for others that need it. */
			$this->run_one( 'CREATE ' . ( $is_view ? 'OR REPLACE ' : '' ) . "$found[1] $found[2] " . easydash_mysql_name( $name ) . $rest );
		}
		return true;
	}

	protected function execute( $sql, $table ) {
		$insert = Easydash_Sql_Rows::head( $sql );
		if ( null === $insert && ! preg_match( '/^(?:INSERT|REPLACE)\b/i', $sql ) ) {
			$this->settle();
			$this->run_one( $sql );
			return;
		}
		$this->rows[ $table ] = $this->rows[ $table ] ?? 0;
		try {
			$this->mysql->query( $sql );
			/* A row that replaces another one counts twice. */
			$this->rows[ $table ] += preg_match( '/Records: (\d+)/', (string) $this->mysql->info, $found ) ? (int) $found[1] : 1;
		} catch ( mysqli_sql_exception $error ) {
			$this->rethrow( $error );
			if ( null === $insert || ! $this->each_row( $sql, $insert, $table ) ) {
				$this->defect( 'refused', $sql, $error->getMessage() );
			}
		}
	}

	/** Executes a statement; one that fails is a defect. */
	private function run_one( $sql ) {
		try {
			$this->mysql->query( $sql );
		} catch ( mysqli_sql_exception $error ) {
			$this->rethrow( $error );
			$known = $sql;
			if ( self::UNKNOWN_COLLATION === $error->getCode() ) {
				$known = preg_replace( self::COLLATIONS, 'utf8mb4_unicode_520_ci', $sql );
			} elseif ( in_array( $error->getCode(), self::UNKNOWN_OPTION, true ) ) {
				$known = preg_replace( self::FORMATS, '', $sql );
			}
			if ( $known !== $sql && null !== $known ) {
				$this->run_one( $known );
				return;
			}
			$this->defect( 'refused', $sql, $error->getMessage() );
		}
	}

	/** Without the server, or room, nothing that is left counts as tried. */
	private function rethrow( $error ) {
		if ( in_array( $error->getCode(), self::GONE, true ) || easydash_is_unwritten( $error ) ) {
			throw $error;
		}
	}

	/** Writes the rows of a statement that failed one by one. False if they are not plain. */
	private function each_row( $sql, $insert, $table ) {
		$columns = null === $insert['columns'] ? '' : ' (' . implode( ', ', array_map( 'easydash_mysql_name', $insert['columns'] ) ) . ')';
		$begin   = 'INSERT INTO ' . easydash_mysql_name( $insert['table'] ) . "$columns VALUES ";
		return Easydash_Sql_Rows::each(
			$sql,
			$insert['at'],
			function ( $values ) use ( $begin, $table ) {
				try {
					$this->mysql->query( $begin . '(' . implode( ', ', array_map( array( $this, 'literal' ), $values ) ) . ')' );
					++$this->rows[ $table ];
				} catch ( mysqli_sql_exception $error ) {
					$this->rethrow( $error );
					++$this->failed;
					$this->defect( 'row', $table, $error->getMessage() );
				}
			}
		);
	}

	private function literal( $value ) {
		if ( null === $value ) {
			return 'NULL';
		}
		$value = (string) $value;
		return preg_match( '//u', $value ) ? "'" . $this->mysql->real_escape_string( $value ) . "'" : '0x' . bin2hex( $value );
	}

	protected function settle() {
		$this->mysql->commit();
	}
}
