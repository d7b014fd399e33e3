<?php
/*
 * Compares databases of a site and its staging copy row by row. `main` is the database of the site as it is now, `base` as it
 * was when it was copied, `start` the copy when it was ready, `stage` the copy now; on MySQL, what `snapshot.php` wrote of each. What
 * differs between `start` and `stage` becomes rows of `work.op`, what differs between `base` and `main` rows of `work.live_op`.
 * No code of a site runs; names and values can be anything.
 */
require '/internal/easydash/merge-rules.php';

final class Easydash_Merge_Diff {
	const FOLDER = '/wordpress/wp-content/database/';
	/** Rows looked at in one query. */
	const WINDOW      = 1000;
	const MAX_COLUMNS = 250;
	const MAX_TABLES  = 1000;
	/** Bytes of a row; larger ones stay as they are, and are named. */
	const MAX_ROW = 16000000;
	/** In a key, what follows are hexadecimal digits of bytes. */
	const BYTES = "\0bytes:";

	public $pdo;
	public $rules;
	private $columns = array();
	private $found   = array();
	private $guests  = null;

	public function __construct( $files ) {
		$this->rules = new Easydash_Merge_Rules();
		$this->pdo   = new PDO( 'sqlite:' . self::FOLDER . $files['main'], null, null, array( PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_TIMEOUT => 20 ) );
		$this->pdo->exec( 'PRAGMA trusted_schema = OFF' );
		foreach ( array( 'base', 'start', 'stage', 'work' ) as $name ) {
			$this->pdo->prepare( "ATTACH DATABASE ? AS $name" )->execute( array( self::FOLDER . $files[ $name ] ) );
		}
		$this->pdo->exec( 'PRAGMA work.synchronous = OFF' );
	}

	/** Empties what was found before. */
	public function begin() {
		foreach ( array( 'op', 'live_op' ) as $table ) {
			$this->pdo->exec( "DROP TABLE IF EXISTS work.$table" );
			$this->pdo->exec(
				"CREATE TABLE work.$table (id INTEGER PRIMARY KEY, tbl TEXT, kind TEXT, item TEXT, own INTEGER, key TEXT COLLATE NOCASE, op TEXT,
					cols TEXT, hash TEXT, label TEXT, detail TEXT, owner TEXT, author TEXT, sub TEXT, space TEXT, free INTEGER,
					counter INTEGER, source INTEGER, clash INTEGER DEFAULT 0, live INTEGER, parent INTEGER, same INTEGER, taken INTEGER DEFAULT 0)"
			);
			$this->pdo->exec( "CREATE INDEX work.{$table}_key ON $table (tbl, key)" );
			$this->pdo->exec( "CREATE INDEX work.{$table}_sub ON $table (tbl, owner, sub)" );
			$this->pdo->exec( "CREATE INDEX work.{$table}_owner ON $table (owner)" );
			$this->pdo->exec( "CREATE INDEX work.{$table}_author ON $table (author)" );
			$this->pdo->exec( "CREATE INDEX work.{$table}_item ON $table (kind, item)" );
		}
		$this->pdo->exec( 'DROP TABLE IF EXISTS work.map' );
		$this->pdo->exec( 'CREATE TABLE work.map (space TEXT, old INTEGER, new INTEGER, PRIMARY KEY (space, old))' );
		$this->pdo->exec( 'DROP TABLE IF EXISTS work.note' );
		$this->pdo->exec( 'CREATE TABLE work.note (tbl TEXT, note TEXT, PRIMARY KEY (tbl, note))' );
	}

	/** Compares until a moment. Returns where to go on; null at the end. */
	public function run( $after, $until ) {
		if ( null === $after ) {
			$this->begin();
			$after = array( 'pair' => 0, 'table' => '', 'pass' => 0, 'row' => null );
		}
		foreach ( array( array( 'start', 'stage', 'op' ), array( 'base', 'main', 'live_op' ) ) as $number => $pair ) {
			if ( $number < $after['pair'] ) {
				continue;
			}
			foreach ( $this->tables( array( $pair[0], $pair[1] ) ) as $table ) {
				$order = $number > $after['pair'] ? 1 : strcmp( $table, $after['table'] );
				if ( $order < 0 ) {
					continue;
				}
				for ( $pass = 0 === $order ? $after['pass'] : 0; $pass < 2; ++$pass ) {
					$row = 0 === $order && $pass === $after['pass'] ? $after['row'] : null;
					do {
						if ( microtime( true ) > $until ) {
							return array( 'pair' => $number, 'table' => $table, 'pass' => $pass, 'row' => $row );
						}
						$row = $this->step( $pair, $table, $pass, $row );
					} while ( null !== $row );
				}
			}
		}
		return null;
	}

	/** Names of the real tables of some databases. */
	public function tables( $schemas ) {
		$names = array();
		foreach ( $schemas as $schema ) {
			$query = $this->pdo->query( "SELECT name FROM $schema.sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND length(name) <= 190 ORDER BY name LIMIT " . self::MAX_TABLES );
			foreach ( $query->fetchAll( PDO::FETCH_COLUMN ) as $name ) {
				$names[ "t$name" ] = (string) $name;
			}
		}
		$names = array_values( $names );
		sort( $names, SORT_STRING );
		return $names;
	}

	/** Columns of a table in order (name => place in the primary key), and the name of its row number. Null if it is none. */
	public function columns( $schema, $table ) {
		$id = "$schema $table";
		if ( ! array_key_exists( $id, $this->columns ) ) {
			$columns = array();
			$counter = false;
			foreach ( $this->pdo->query( "PRAGMA $schema.table_info(" . self::name( $table ) . ')' ) as $column ) {
				$columns[ "c{$column['name']}" ] = array( (string) $column['name'], (int) $column['pk'], $column['type'] );
			}
			$names    = array_column( $columns, 0 );
			$primary  = array_values( array_filter( $columns, fn( $column ) => $column[1] > 0 ) );
			$rowid    = current( array_diff( array( 'rowid', '_rowid_', 'oid' ), array_map( 'strtolower', $names ) ) );
			$counter  = 1 === count( $primary ) && 0 === strcasecmp( $primary[0][2], 'INTEGER' );
			if ( false !== $rowid ) {
				try {
					$this->pdo->query( "SELECT $rowid FROM $schema." . self::name( $table ) . ' LIMIT 0' )->closeCursor();
				} catch ( PDOException $error ) {
					/* It has no numbers of rows. */
					$rowid = false;
				}
			}
			$this->columns[ $id ] = ! $columns || false === $rowid || count( $columns ) > self::MAX_COLUMNS ? null : array(
				'names'   => $names,
				'primary' => array_column( $primary, 0 ),
				'types'   => array_column( $columns, 2, 0 ),
				'rowid'   => $rowid,
				'counter' => $counter,
			);
		}
		return $this->columns[ $id ];
	}

	/** One window of one table. `pass` 0 goes through the older database, 1 finds what only the newer one has. */
	private function step( $pair, $table, $pass, $row ) {
		list( $old, $new, $into ) = $pair;
		$driving                  = $pass ? $new : $old;
		$other                    = $pass ? $old : $new;
		$has                      = $this->columns( $driving, $table );
		$against                  = $this->columns( $other, $table );
		if ( null === $this->rules->table( $table, array() ) ) {
			return null;
		}
		if ( null === $has ) {
			return $this->exists( $driving, $table ) ? $this->note( $table, 'no_key' ) : null;
		}
		$rule = $this->rules->table( $table, $has['primary'] );
		if ( array_diff( $rule['key'], $has['names'] ) || ! $rule['key'] ) {
			return $this->note( $table, 'no_key' );
		}
		if ( null === $against && ! $pass ) {
			/* A table that was removed is kept. */
			return $this->note( $table, 'removed' );
		}
		try {
			return $this->window( $pair, $table, $rule, $pass, $row );
		} catch ( PDOException $error ) {
			if ( $this->pdo->inTransaction() ) {
				$this->pdo->rollBack();
			}
			/* Nothing may look unchanged because it could not be read. */
			throw new Exception( "The table $table could not be compared: " . $error->getMessage() );
		}
	}

	private function exists( $schema, $table ) {
		$query = $this->pdo->prepare( "SELECT 1 FROM $schema.sqlite_master WHERE type = 'table' AND name = ?" );
		$query->execute( array( $table ) );
		return false !== $query->fetchColumn();
	}

	public function note( $table, $note ) {
		$this->pdo->prepare( 'INSERT OR IGNORE INTO work.note VALUES (?, ?)' )->execute( array( $table, $note ) );
		return null;
	}

	private function window( $pair, $table, $rule, $pass, $row ) {
		list( $old, $new, $into ) = $pair;
		$driving                  = $pass ? $new : $old;
		$other                    = $pass ? $old : $new;
		$has                      = $this->columns( $driving, $table );
		$against                  = $this->columns( $other, $table );
		$name                     = self::name( $table );
		$rowid                    = $has['rowid'];
		$edge                     = $this->pdo->prepare( "SELECT max(r) FROM (SELECT $rowid AS r FROM $driving.$name WHERE $rowid > ? ORDER BY $rowid LIMIT " . self::WINDOW . ')' );
		$edge->execute( array( $row ?? PHP_INT_MIN ) );
		$last = $edge->fetchColumn();
		$edge->closeCursor();
		if ( null === $last || false === $last ) {
			return null;
		}
		$common = array();
		$flags  = "''";
		$join   = '';
		$lacks  = '1';
		if ( null !== $against && ! array_diff( $rule['key'], $against['names'] ) ) {
			$common = array_values( array_diff( array_intersect( $has['names'], $against['names'] ), $rule['ignore'] ?? array() ) );
			$on     = array();
			foreach ( $rule['key'] as $key ) {
				$on[] = 'd.' . self::name( $key ) . ' = o.' . self::name( $key );
			}
			$join  = "LEFT JOIN $other.$name o ON " . implode( ' AND ', $on );
			$lacks = "o.{$against['rowid']} IS NULL";
			foreach ( $common as $column ) {
				$flags .= ' || (d.' . self::name( $column ) . ' COLLATE BINARY IS NOT o.' . self::name( $column ) . ')';
			}
			if ( count( $has['names'] ) !== count( $against['names'] ) ) {
				$this->note( $table, 'columns' );
			}
		}
		$source = $pass || ! $join ? 'NULL' : "o.{$against['rowid']}";
		$query  = $this->pdo->prepare(
			"SELECT * FROM (SELECT d.$rowid AS r, $source AS s, $lacks AS gone, $flags AS flags FROM $driving.$name d $join
				WHERE d.$rowid > :after AND d.$rowid <= :last) WHERE gone" . ( $pass ? '' : " OR flags LIKE '%1%'" )
		);
		$query->bindValue( ':after', $row ?? PHP_INT_MIN, PDO::PARAM_INT );
		$query->bindValue( ':last', $last, PDO::PARAM_INT );
		$query->execute();
		$rows = $query->fetchAll( PDO::FETCH_NUM );
		$query->closeCursor();
		$this->pdo->beginTransaction();
		foreach ( $rows as list( $r, $s, $gone, $flags ) ) {
			$op      = $pass ? 'add' : ( $gone ? 'delete' : 'change' );
			$columns = array();
			foreach ( $common as $number => $column ) {
				if ( '1' === substr( $flags, $number, 1 ) ) {
					$columns[] = $column;
				}
			}
			$this->record( $pair, $table, $rule, $op, 'change' === $op ? array( $new, $s ) : array( $driving, $r ), $columns );
		}
		$this->pdo->commit();
		return (int) $last;
	}

	/** A row by its number; null if it is too large. */
	public function row( $schema, $table, $rowid ) {
		$has  = $this->columns( $schema, $table );
		$size = array();
		foreach ( $has['names'] as $column ) {
			$size[] = 'coalesce(length(CAST(' . self::name( $column ) . ' AS BLOB)), 0)';
		}
		$from  = " FROM $schema." . self::name( $table ) . " WHERE {$has['rowid']} = ?";
		$query = $this->pdo->prepare( 'SELECT ' . implode( ' + ', $size ) . $from );
		$query->execute( array( $rowid ) );
		$bytes = $query->fetchColumn();
		$query->closeCursor();
		if ( false === $bytes || $bytes > self::MAX_ROW ) {
			return null;
		}
		$query = $this->pdo->prepare( 'SELECT *' . $from );
		$query->execute( array( $rowid ) );
		$row = $query->fetch( PDO::FETCH_ASSOC );
		$query->closeCursor();
		return false === $row ? null : $row;
	}

	private function record( $pair, $table, $rule, $op, $at, $columns ) {
		list( $old, $new, $into ) = $pair;
		$row                      = $this->row( $at[0], $table, $at[1] );
		if ( null === $row ) {
			throw new Exception( "A row of the table $table is larger than 16 MB." );
		}
		if ( $this->rules->ignored( $rule, $row ) ) {
			return;
		}
		$key   = array_map( fn( $column ) => self::keyed( (string) $row[ $column ] ), $rule['key'] );
		$owner = isset( $rule['owner'] ) ? $rule['owner'][1] . ':' . $row[ $rule['owner'][0] ] : null;
		$about = $this->about( $new, $old, $rule, $row, $key, $owner );
		if ( null === $about ) {
			return;
		}
		$values = array_map( fn( $column ) => $row[ $column ], $columns ? $columns : array_keys( $row ) );
		$has    = $this->columns( $at[0], $table );
		$this->pdo->prepare(
			"INSERT INTO work.$into (tbl, kind, item, own, key, op, cols, hash, label, detail, owner, author, sub, space, free, counter, source)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
		)->execute(
			array(
				$table,
				$about['kind'],
				$about['item'],
				$about['own'],
				json_encode( $key, JSON_INVALID_UTF8_SUBSTITUTE ),
				$op,
				json_encode( $columns, JSON_INVALID_UTF8_SUBSTITUTE ),
				'delete' === $op ? '' : sha1( serialize( $values ) ),
				$about['label'],
				isset( $rule['sub'] ) ? self::text( $row[ $rule['sub'] ], 80 ) : '',
				$owner,
				isset( $rule['author'] ) ? 'user:' . $row[ $rule['author'] ] : null,
				isset( $rule['sub'] ) ? (string) $row[ $rule['sub'] ] : null,
				$rule['space'] ?? null,
				isset( $rule['surrogate'] ) ? 1 : 0,
				/* What shares its number with its owner gets another one with it. */
				$has['counter'] && $rule['key'] === $has['primary'] && ( isset( $rule['space'] ) || ! isset( $rule['owner'] ) ) ? 1 : 0,
				'delete' === $op ? null : $at[1],
			)
		);
	}

	/** Kind, item and label of a row; null if it stays on its side. */
	private function about( $new, $old, $rule, $row, $key, $owner ) {
		$space = $rule['space'] ?? null;
		$kind  = $rule['kind'];
		$item  = null !== $space && null === $owner ? "$space:{$key[0]}" : ( null === $owner ? $rule['name'] . ':' . implode( ' ', $key ) : $owner );
		$label = isset( $rule['label'] ) ? self::text( $row[ $rule['label'] ] ) : '';
		if ( 'posts' === $rule['name'] && in_array( $row['post_type'], Easydash_Merge_Rules::ORDER_TYPES, true ) ) {
			$kind = 'orders';
		}
		if ( 'comments' === $rule['name'] ) {
			$item = "comment:{$key[0]}";
			$kind = 'order_note' === $row['comment_type'] ? 'orders' : $kind;
		}
		if ( 'users' === $rule['name'] && $this->isGuest( $new, $key[0] ) ) {
			return null;
		}
		if ( null !== $owner && 'comments' !== $rule['name'] ) {
			list( $of, $id ) = explode( ':', $owner, 2 );
			if ( 'user' === $of && $this->isGuest( $new, $id ) ) {
				return null;
			}
			$parent = $this->find( $new, $of, $id ) ?? $this->find( $old, $of, $id );
			$parents = $this->rules::TABLES[ Easydash_Merge_Rules::SPACES[ $of ][0] ];
			if ( null !== $parent ) {
				if ( $this->rules->ignored( $parents + array( 'name' => Easydash_Merge_Rules::SPACES[ $of ][0] ), $parent ) ) {
					return null;
				}
				$label = self::text( $parent[ $parents['label'] ] );
				$kind  = isset( $parent['post_type'] ) && in_array( $parent['post_type'], Easydash_Merge_Rules::ORDER_TYPES, true ) ? 'orders' : $kind;
			}
		}
		if ( 'orders' === $kind && '' === $label ) {
			$label = '#' . ( null === $owner ? $key[0] : explode( ':', $owner, 2 )[1] );
		}
		return array(
			'kind'  => $kind,
			'item'  => substr( $item, 0, 300 ),
			'own'   => null === $owner || 'comments' === $rule['name'] ? 1 : 0,
			'label' => '' === $label ? self::text( $rule['name'] . ' ' . implode( ' ', self::shown( $rule['key'], $key ) ) ) : $label,
		);
	}

	/** Values of a key, without those that are secrets. */
	private static function shown( $columns, $key ) {
		return array_map( fn( $column, $value ) => Easydash_Secrets::is_named( $column ) ? '***' : $value, $columns, $key );
	}

	/** The row of a space with a number, with what labels need. */
	private function find( $schema, $space, $id ) {
		$key = "$schema $space $id";
		if ( ! array_key_exists( $key, $this->found ) ) {
			if ( count( $this->found ) > 2000 ) {
				$this->found = array();
			}
			list( $table, $column ) = $this->rules->tableOf( $space );
			$label                  = Easydash_Merge_Rules::TABLES[ Easydash_Merge_Rules::SPACES[ $space ][0] ]['label'];
			$has                    = $this->columns( $schema, $table );
			$found                  = false;
			if ( null !== $has && ! array_diff( array( $column, $label ), $has['names'] ) ) {
				$more  = 'post' === $space ? ', post_type, post_status' : '';
				$query = $this->pdo->prepare( 'SELECT substr(' . self::name( $label ) . ', 1, 400) AS ' . self::name( $label ) . "$more FROM $schema." . self::name( $table ) . ' WHERE ' . self::name( $column ) . ' = ?' );
				$query->execute( array( $id ) );
				$found = $query->fetch( PDO::FETCH_ASSOC );
				$query->closeCursor();
			}
			$this->found[ $key ] = false === $found ? null : $found;
		}
		return $this->found[ $key ];
	}

	/** Users of the staging copy that login links made: they are no users of the site. */
	public function guests() {
		if ( null === $this->guests ) {
			$this->guests = array();
			$table        = $this->rules->prefix . 'usermeta';
			if ( null !== $this->columns( 'stage', $table ) ) {
				$query = $this->pdo->query( 'SELECT user_id, meta_value FROM stage.' . self::name( $table ) . " WHERE meta_key = 'easydash_account' LIMIT 10000" );
				foreach ( $query->fetchAll( PDO::FETCH_NUM ) as list( $user, $account ) ) {
					$this->guests[ (string) $user ] = (string) $account;
				}
			}
		}
		return $this->guests;
	}

	private function isGuest( $schema, $id ) {
		return 'stage' === $schema && isset( $this->guests()[ (string) $id ] );
	}

	/** A value of a key as JSON can have it: bytes that are no text are told apart as well. */
	private static function keyed( $value ) {
		return preg_match( '//u', $value ) && 0 !== strpos( $value, self::BYTES ) ? $value : self::BYTES . bin2hex( $value );
	}

	/** The key of a row (of `op.key`). */
	public static function key( $json ) {
		$length = strlen( self::BYTES );
		return array_map( fn( $value ) => 0 === strpos( $value, self::BYTES ) ? hex2bin( substr( $value, $length ) ) : $value, json_decode( $json, true ) );
	}

	public static function name( $name ) {
		return '"' . str_replace( '"', '""', $name ) . '"';
	}

	/** A value as one line of bounded length. */
	public static function text( $value, $length = 120 ) {
		$text = mb_scrub( substr( is_scalar( $value ) ? (string) $value : '', 0, 4 * $length ), 'UTF-8' );
		return mb_substr( trim( preg_replace( '/[\x00-\x1f\x7f]+/', ' ', $text ) ), 0, $length, 'UTF-8' );
	}
}
