<?php
/*
 * The same for a site on MySQL: what reads runs as a user who may do nothing else, or as the site's own, in a transaction that only
 * reads; what writes runs as the site's own user. The engine keeps the state before. One statement at a time: PHP does not ask for more.
 */
require '/internal/easydash/mysql.php';

final class Easydash_Mysql_Sql {
	use Easydash_Sql_Result;

	/** Seconds of a statement. */
	const READ_SECONDS  = 15;
	const WRITE_SECONDS = 25;
	/** The server refuses these rights, or to write in the transaction. */
	const READ_ONLY = 1792;
	const DENIED    = array( 1142, 1143, 1370 );
	const DATABASE  = 1044;
	/** A statement that can't be prepared. */
	const NOT_PREPARED = 1295;

	private $limits;
	private $login;

	public function __construct( $limits, $login ) {
		$this->limits = $limits;
		$this->login  = $login;
	}

	public function read( $sql ) {
		$mysql = easydash_mysql( $this->login );
		easydash_mysql_seconds( $mysql, self::READ_SECONDS );
		$mysql->query( 'START TRANSACTION READ ONLY' );
		try {
			return $this->run( $mysql, $sql );
		} catch ( mysqli_sql_exception $error ) {
			throw $this->writes( $error ) ? new Easydash_Problem( 'writes' ) : $this->problem( $error );
		}
	}

	/**
	 * Whether it is a statement at all; it does not run. For what does not look as if it reads, where the site's own user reads: CALL could
	 * end the transaction that only reads, and MariaDB lets DROP TABLE do so, too. Queries cannot, whatever functions they call.
	 */
	public function judge( $sql ) {
		try {
			easydash_mysql( $this->login )->prepare( $sql );
		} catch ( mysqli_sql_exception $error ) {
			if ( self::NOT_PREPARED !== $error->getCode() ) {
				throw $this->problem( $error );
			}
		}
		throw new Easydash_Problem( 'writes' );
	}

	public function write( $sql ) {
		$mysql = easydash_mysql( easydash_login() );
		/* As WordPress: dates of drafts have no day. A value that does not fit is refused all the same. */
		$mysql->query( "SET SESSION sql_mode = REPLACE(REPLACE(REPLACE(@@SESSION.sql_mode, 'NO_ZERO_IN_DATE', ''), 'NO_ZERO_DATE', ''), 'ONLY_FULL_GROUP_BY', '')" );
		easydash_mysql_seconds( $mysql, self::WRITE_SECONDS );
		/* What cannot be prepared has done nothing. For a right that is missing, MySQL 9 makes PHP return nothing, without an error. */
		try {
			$prepared = $mysql->prepare( $sql );
			if ( $prepared ) {
				$prepared->close();
			}
		} catch ( mysqli_sql_exception $error ) {
			if ( self::NOT_PREPARED !== $error->getCode() ) {
				throw easydash_mysql_is_late( $error ) ? $this->problem( $error ) : new Easydash_Problem( 'refused', $error->getMessage() );
			}
		}
		try {
			return $this->run( $mysql, $sql );
		} catch ( mysqli_sql_exception $error ) {
			throw $this->problem( $error );
		}
	}

	/** Whether a statement was refused because it writes, or calls code that could. */
	private function writes( $error ) {
		$message = $error->getMessage();
		switch ( $error->getCode() ) {
			case self::READ_ONLY:
				return true;
			case self::DATABASE:
				/* In another database, it would be refused to the site as well. */
				return false !== strpos( $message, "database '{$this->login['database']}'" );
			default:
				return in_array( $error->getCode(), self::DENIED, true ) && 0 !== strpos( $message, 'SELECT ' );
		}
	}

	private function problem( $error ) {
		return easydash_mysql_is_late( $error ) ? new Easydash_Problem( 'late' ) : new Easydash_Problem( 'sql', $error->getMessage() );
	}

	/** Runs the statement. Rows are read one by one, up to the limit. */
	private function run( $mysql, $sql ) {
		$started = microtime( true );
		$columns = array();
		$rows    = array();
		if ( '' === trim( $sql ) ) {
			throw new Easydash_Problem( 'sql', 'There is no statement.' );
		}
		$mysql->real_query( $sql );
		$result   = $mysql->use_result();
		$affected = $result ? null : max( 0, (int) $mysql->affected_rows );
		$width    = $result ? $mysql->field_count : 0;
		$numbers  = array();
		if ( $result ) {
			foreach ( array_slice( $result->fetch_fields(), 0, $this->limits['columns'] ) as $field ) {
				$columns[] = $this->label( $field->name );
				$numbers[] = in_array( $field->type, array( MYSQLI_TYPE_TINY, MYSQLI_TYPE_SHORT, MYSQLI_TYPE_INT24, MYSQLI_TYPE_LONG, MYSQLI_TYPE_LONGLONG, MYSQLI_TYPE_FLOAT, MYSQLI_TYPE_DOUBLE, MYSQLI_TYPE_DECIMAL, MYSQLI_TYPE_NEWDECIMAL, MYSQLI_TYPE_YEAR ), true );
			}
			while ( count( $rows ) <= $this->limits['result'] && is_array( $row = $result->fetch_row() ) ) {
				$rows[] = array_map( array( $this, 'cell' ), array_slice( $row, 0, count( $columns ) ), $numbers );
			}
			if ( count( $rows ) <= $this->limits['result'] ) {
				$result->free();
				/* A procedure is at its end when its last result was read. */
				while ( $mysql->more_results() && $mysql->next_result() ) {
					$next = $mysql->use_result();
					if ( $next ) {
						$next->free();
					}
				}
			}
		}
		/* Without reading the rows that are left. */
		$mysql->close();
		return $this->found( $columns, $width, $rows, $affected, $started );
	}
}
