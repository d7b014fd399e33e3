<?php
/* Brings what changed in a staging copy into the database of its site. */

final class Easydash_Merge_Apply {
	const BATCH = 200;

	private $diff;
	private $target;
	private $pdo;
	private $rules;
	private $replacer;
	private $taken;
	private $map = array();

	/**
	 * @param Easydash_Merge_Target $target what is written to
	 * @param array                 $choice take (ids of clashes), all (kinds): where the side of staging is taken.
	 */
	public function __construct( $diff, $target, $from, $to, $choice ) {
		$this->diff     = $diff;
		$this->target   = $target;
		$this->pdo      = $diff->pdo;
		$this->rules    = $diff->rules;
		$this->replacer = new Easydash_Replacer( $from, $to );
		$this->taken    = array(
			'take' => array_flip( array_filter( $choice['take'] ?? array(), 'is_string' ) ),
			'all'  => array_flip( array_filter( $choice['all'] ?? array(), 'is_string' ) ),
		);
	}

	private function isTaken( $op ) {
		return isset( $this->taken['all'][ $op['kind'] ] ) || isset( $this->taken['take'][ Easydash_Merge_Judge::id( $op ) ] );
	}

	/** New tables, decisions, and new numbers for what gets one. Each part can be repeated from the state before. */
	public function begin() {
		foreach ( array_diff( $this->diff->tables( array( 'stage' ) ), $this->diff->tables( array( 'main' ) ), $this->diff->tables( array( 'start' ) ) ) as $table ) {
			$has = $this->diff->columns( 'stage', $table );
			if ( null !== $has && null !== $this->rules->table( $table, $has['primary'] ) ) {
				$this->target->create( $table );
			}
		}
		$this->pdo->beginTransaction();
		$next = array();
		foreach ( $this->pdo->query( Easydash_Merge_Judge::CLASHES . ' WHERE op.clash IN (1, 2, 4, 5) ORDER BY op.parent IS NOT NULL, op.id' )->fetchAll( PDO::FETCH_ASSOC ) as $op ) {
			$clash = (int) $op['clash'];
			$taken = null === $op['parent'] ? Easydash_Merge_Judge::RENUMBER === $clash || $this->isTaken( $op )
				: 1 === (int) $this->pdo->query( 'SELECT taken FROM work.op WHERE id = ' . (int) $op['parent'] )->fetchColumn();
			$this->pdo->exec( 'UPDATE work.op SET taken = ' . ( $taken ? 1 : 0 ) . ' WHERE id = ' . (int) $op['id'] );
			if ( Easydash_Merge_Judge::CHANGED !== $clash && null !== $op['space'] ) {
				$old = (int) json_decode( $op['key'], true )[0];
				$new = null;
				if ( null !== $op['same'] ) {
					$new = (int) $op['same'];
				} elseif ( $taken ) {
					$next[ $op['space'] ] = 1 + ( $next[ $op['space'] ] ?? $this->highest( $op['space'] ) );
					$new                  = $next[ $op['space'] ];
				}
				$this->pdo->prepare( 'INSERT OR REPLACE INTO work.map VALUES (?, ?, ?)' )->execute( array( $op['space'], $old, $new ) );
			}
		}
		$this->pdo->exec( 'UPDATE work.op SET taken = (SELECT p.taken FROM work.op p WHERE p.id = op.parent) WHERE clash = 3' );
		$this->mapGuests();
		$this->pdo->commit();
	}

	/** The highest number of a space on either side. */
	private function highest( $space ) {
		list( $table, $column ) = $this->rules->tableOf( $space );
		$highest                = 0;
		foreach ( array( 'main', 'stage', 'start' ) as $schema ) {
			if ( null !== $this->diff->columns( $schema, $table ) ) {
				$highest = max( $highest, (int) $this->pdo->query( 'SELECT max(' . self::name( $column ) . ") FROM $schema." . self::name( $table ) )->fetchColumn() );
			}
		}
		return $highest;
	}

	/** What people wrote in staging as users of login links belongs to their users on the site, or to its first administrator. */
	private function mapGuests() {
		$guests = $this->diff->guests();
		if ( ! $guests ) {
			return;
		}
		$meta  = 'main.' . self::name( $this->rules->prefix . 'usermeta' );
		$same  = $this->pdo->prepare( "SELECT user_id FROM $meta WHERE meta_key = 'easydash_account' AND meta_value = ?" );
		$first = $this->pdo->prepare( "SELECT min(user_id) FROM $meta WHERE meta_key = ? AND meta_value LIKE '%\"administrator\"%'" );
		$first->execute( array( $this->rules->prefix . 'capabilities' ) );
		$first = (int) $first->fetchColumn();
		foreach ( $guests as $user => $account ) {
			$same->execute( array( $account ) );
			$found = $same->fetchColumn();
			$same->closeCursor();
			$this->pdo->prepare( 'INSERT OR REPLACE INTO work.map VALUES (?, ?, ?)' )->execute( array( 'user', (int) $user, $found ? (int) $found : $first ) );
		}
	}

	/** Applies changes until a moment. Returns the last one; null at the end. */
	public function run( $after, $until ) {
		while ( true ) {
			if ( microtime( true ) > $until ) {
				return $after;
			}
			$query = $this->pdo->prepare( Easydash_Merge_Judge::CLASHES . ' WHERE op.id > ? ORDER BY op.id LIMIT ' . self::BATCH );
			$query->execute( array( $after ) );
			$rows = $query->fetchAll( PDO::FETCH_ASSOC );
			$query->closeCursor();
			$this->target->begin();
			foreach ( $rows as $op ) {
				if ( 0 === (int) $op['clash'] || 1 === (int) $op['taken'] ) {
					$this->apply( $op );
				}
				$after = (int) $op['id'];
			}
			$this->target->commit();
			if ( count( $rows ) < self::BATCH ) {
				$this->target->count();
				return null;
			}
		}
	}

	private function apply( $op ) {
		$table = $op['tbl'];
		$has   = $this->diff->columns( 'main', $table );
		if ( null === $has ) {
			throw new Exception( "The site has no table $table any more." );
		}
		$rule = $this->rules->table( $table, $has['primary'] );
		$key  = Easydash_Merge_Diff::key( $op['key'] );
		if ( 1 === (int) $op['free'] && ( 1 === (int) $op['clash'] || $this->isOfSameUser( $op ) ) ) {
			$this->replaceGroup( $op, $rule );
			return;
		}
		if ( 'delete' === $op['op'] ) {
			$this->target->delete( $table, $rule['key'], $key );
			return;
		}
		$row = $this->diff->row( 'stage', $table, $op['source'] );
		if ( null === $row ) {
			throw new Exception( "A row of the table $table could not be read." );
		}
		if ( 'change' === $op['op'] || null !== $op['same'] ) {
			$columns = array_values( array_intersect( null === $op['same'] ? json_decode( $op['cols'], true ) : array_diff( array_keys( $row ), $rule['key'] ), $has['names'] ) );
			$values  = $this->values( $rule, $row );
			$key     = null === $op['same'] ? $key : array( $op['same'] );
			if ( null === $values || ! $columns ) {
				return;
			}
			if ( $this->target->update( $table, array_intersect_key( $values, array_flip( $columns ) ), $rule['key'], $key ) ) {
				return;
			}
		}
		if ( in_array( (int) $op['clash'], array( 2, 4 ), true ) && null === $op['space'] ) {
			unset( $row[ $rule['key'][0] ] );
		}
		if ( 1 === (int) $op['clash'] ) {
			$this->target->delete( $table, $rule['key'], $key );
		}
		$this->insert( $table, $rule, $row );
	}

	/** Whether it belongs to a new user whom the site has, too. */
	private function isOfSameUser( $op ) {
		if ( 3 !== (int) $op['clash'] ) {
			return false;
		}
		$query = $this->pdo->prepare( 'SELECT same FROM work.op WHERE id = ?' );
		$query->execute( array( $op['parent'] ) );
		return is_numeric( $query->fetchColumn() );
	}

	/** All values of one name that belong to one row, as staging has them. */
	private function replaceGroup( $op, $rule ) {
		list( $column, $space ) = $rule['owner'];
		$id                     = explode( ':', $op['owner'], 2 )[1];
		$where                  = self::name( $column ) . ' = ? AND ' . self::name( $rule['sub'] ) . ' = ?';
		$name                   = self::name( $op['tbl'] );
		$this->target->delete( $op['tbl'], array( $column, $rule['sub'] ), array( $this->mapped( $space, $id ), $op['sub'] ) );
		$rowid = $this->diff->columns( 'stage', $op['tbl'] )['rowid'];
		$query = $this->pdo->prepare( "SELECT $rowid FROM stage.$name WHERE $where ORDER BY $rowid LIMIT 1000" );
		$query->execute( array( $id, $op['sub'] ) );
		foreach ( $query->fetchAll( PDO::FETCH_COLUMN ) as $source ) {
			$row = $this->diff->row( 'stage', $op['tbl'], $source );
			if ( null !== $row ) {
				$this->insert( $op['tbl'], $rule, $row );
			}
		}
	}

	private function insert( $table, $rule, $row ) {
		$values = $this->values( $rule, $row );
		if ( null === $values ) {
			return;
		}
		foreach ( array( $rule['surrogate'] ?? null, $rule['omit'] ?? null ) as $omitted ) {
			if ( null !== $omitted ) {
				unset( $values[ $omitted ] );
			}
		}
		if ( isset( $rule['space'] ) ) {
			$column            = $rule['key'][0];
			$values[ $column ] = $this->mapped( $rule['space'], $values[ $column ] );
		}
		$this->target->insert( $table, array_intersect_key( $values, array_flip( $this->diff->columns( 'main', $table )['names'] ) ) );
	}

	/** The values of a row with the address and the numbers of the site; null if it belongs to something that stays behind. */
	private function values( $rule, $row ) {
		$refs = $rule['refs'] ?? array();
		if ( isset( $rule['owner'] ) ) {
			list( $column, $space ) = $rule['owner'];
			$row[ $column ]         = $this->mapped( $space, $row[ $column ] );
			if ( null === $row[ $column ] ) {
				return null;
			}
		}
		foreach ( $refs as $column => $space ) {
			$row[ $column ] = $this->mapped( $space, $row[ $column ] );
			if ( null === $row[ $column ] ) {
				if ( 'term_taxonomy' === $space || 'term_id' === $column ) {
					return null;
				}
				/* Posts have an author; comments and orders can be of nobody. */
				$row[ $column ] = 'post_author' === $column ? 1 : 0;
			}
		}
		$named = array( 'postmeta' => array( 'meta_key', 'meta_value', Easydash_Merge_Rules::META_REFS ), 'options' => array( 'option_name', 'option_value', Easydash_Merge_Rules::OPTION_REFS ) )[ $rule['name'] ] ?? null;
		if ( null !== $named && isset( $named[2][ (string) $row[ $named[0] ] ] ) && ctype_digit( (string) $row[ $named[1] ] ) ) {
			$row[ $named[1] ] = (string) ( $this->mapped( $named[2][ $row[ $named[0] ] ], $row[ $named[1] ] ) ?? 0 );
		}
		foreach ( $row as $column => $value ) {
			$row[ $column ] = is_string( $value ) ? $this->replacer->text( $value ) : $value;
		}
		return $row;
	}

	/** A number as the site has it; null if what it belongs to stays behind. */
	private function mapped( $space, $number ) {
		$id = "$space $number";
		if ( ! array_key_exists( $id, $this->map ) ) {
			$query = $this->pdo->prepare( 'SELECT new FROM work.map WHERE space = ? AND old = ?' );
			$query->execute( array( $space, (int) $number ) );
			$found = $query->fetch( PDO::FETCH_NUM );
			$query->closeCursor();
			if ( count( $this->map ) > 5000 ) {
				$this->map = array();
			}
			$this->map[ $id ] = $found ? ( null === $found[0] ? null : (int) $found[0] ) : $number;
		}
		return $this->map[ $id ];
	}

	private static function name( $name ) {
		return '"' . str_replace( '"', '""', $name ) . '"';
	}
}
