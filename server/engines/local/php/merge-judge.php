<?php
/* Finds what changed on both sides, and tells what a push would do. */
require '/internal/easydash/merge-diff.php';
require '/internal/easydash/merge-excerpt.php';
require '/internal/easydash/replace.php';

final class Easydash_Merge_Judge {
	/**
	 * Kinds of clashes in `op.clash`: 1 changed on both sides, 2 the same number given to two things, 3 decided with its parent,
	 * 4 gets another number because something that is not compared has it, 5 a new user whom the site has, too, whatever the
	 * number: what they wrote belongs to that one.
	 */
	const CHANGED = 1;
	const NUMBER  = 2;
	const PARENT  = 3;
	const RENUMBER = 4;
	const SAME_USER = 5;
	/** Most of each that a plan names. */
	const MAX_CLASHES = 100;
	const MAX_SAMPLES = 12;
	const MAX_NOTES   = 40;

	private $diff;
	private $pdo;
	private $replacer;

	public function __construct( $diff, $from, $to ) {
		$this->diff     = $diff;
		$this->pdo      = $diff->pdo;
		$this->replacer = new Easydash_Replacer( $from, $to );
	}

	/** Marks what clashes, and forgets what both sides changed in the same way. */
	public function run() {
		$this->pdo->beginTransaction();
		$this->pdo->exec( 'UPDATE work.op SET clash = 0, live = NULL, parent = NULL, same = NULL' );
		/* Removed on both sides. */
		$this->pdo->exec( "DELETE FROM work.op WHERE op = 'delete' AND EXISTS (SELECT 1 FROM work.live_op l WHERE l.tbl = op.tbl AND l.key = op.key AND l.op = 'delete')" );
		$this->pdo->exec(
			"UPDATE work.op SET clash = CASE WHEN op = 'add' AND counter THEN 2 ELSE 1 END,
				live = (SELECT l.id FROM work.live_op l WHERE l.tbl = op.tbl AND l.key = op.key)
			 WHERE NOT free AND EXISTS (SELECT 1 FROM work.live_op l WHERE l.tbl = op.tbl AND l.key = op.key)"
		);
		$this->pdo->exec(
			'UPDATE work.op SET clash = 1, live = (SELECT min(l.id) FROM work.live_op l WHERE l.tbl = op.tbl AND l.owner = op.owner AND l.sub = op.sub)
			 WHERE free AND EXISTS (SELECT 1 FROM work.live_op l WHERE l.tbl = op.tbl AND l.owner = op.owner AND l.sub = op.sub)'
		);
		foreach ( $this->pdo->query( "SELECT DISTINCT tbl FROM work.op WHERE op = 'add' AND counter AND NOT free AND clash = 0" )->fetchAll( PDO::FETCH_COLUMN ) as $table ) {
			$has = $this->diff->columns( 'main', $table );
			if ( null !== $has && 1 === count( $has['primary'] ) ) {
				$query = $this->pdo->prepare(
					"UPDATE work.op SET clash = 4 WHERE tbl = ? AND op = 'add' AND counter AND NOT free AND clash = 0 AND EXISTS
						(SELECT 1 FROM main." . Easydash_Merge_Diff::name( $table ) . ' m WHERE m.' . Easydash_Merge_Diff::name( $has['primary'][0] ) . " = CAST(json_extract(op.key, '$[0]') AS INTEGER))"
				);
				$query->execute( array( $table ) );
			}
		}
		/* Removed in staging, but something new or changed of the site belongs to it. */
		$this->pdo->exec(
			"UPDATE work.op SET clash = 1, live = (SELECT min(l.id) FROM work.live_op l WHERE l.op <> 'delete' AND (l.owner = op.space || ':' || json_extract(op.key, '$[0]') OR l.author = op.space || ':' || json_extract(op.key, '$[0]')))
			 WHERE clash = 0 AND op = 'delete' AND space IS NOT NULL AND (
				EXISTS (SELECT 1 FROM work.live_op l WHERE l.op <> 'delete' AND l.owner = op.space || ':' || json_extract(op.key, '$[0]'))
				OR EXISTS (SELECT 1 FROM work.live_op l WHERE l.op <> 'delete' AND l.author = op.space || ':' || json_extract(op.key, '$[0]')))"
		);
		$this->findSameUsers();
		/* Parts of what clashes by its number, or is kept although it was removed, go with it. */
		$this->pdo->exec( 'DROP TABLE IF EXISTS work.parent' );
		$this->pdo->exec( 'CREATE TABLE work.parent (owner TEXT PRIMARY KEY, id INTEGER, clash INTEGER, op TEXT)' );
		$this->pdo->exec( "INSERT OR IGNORE INTO work.parent SELECT space || ':' || json_extract(key, '$[0]'), id, clash, op FROM work.op WHERE space IS NOT NULL AND clash IN (1, 2, 4, 5)" );
		/* What has a number of its own gets another one with what it belongs to: items of an order are not decided by themselves. */
		$this->pdo->exec(
			'UPDATE work.op SET clash = 4, parent = (SELECT p.id FROM work.parent p WHERE p.owner = op.owner)
			 WHERE clash IN (2, 4) AND owner IN (SELECT owner FROM work.parent WHERE clash IN (2, 4, 5))'
		);
		$this->pdo->exec(
			"UPDATE work.op SET clash = 3, parent = (SELECT p.id FROM work.parent p WHERE p.owner = op.owner)
			 WHERE EXISTS (SELECT 1 FROM work.parent p WHERE p.owner = op.owner AND (p.clash IN (2, 4, 5) OR (p.op = 'delete' AND op.op = 'delete')))
				AND clash NOT IN (2, 4, 5)"
		);
		/* And what belongs to those parts. */
		$this->pdo->exec( "INSERT OR IGNORE INTO work.parent SELECT space || ':' || json_extract(key, '$[0]'), parent, 3, op FROM work.op WHERE space IS NOT NULL AND clash = 3" );
		$this->pdo->exec( 'UPDATE work.op SET clash = 3, parent = (SELECT p.id FROM work.parent p WHERE p.owner = op.owner) WHERE clash IN (0, 1) AND owner IN (SELECT owner FROM work.parent WHERE clash = 3)' );
		/* Something new of staging belongs to what the site removed. */
		$this->pdo->exec(
			"UPDATE work.op SET clash = 1, live = (SELECT l.id FROM work.live_op l WHERE l.op = 'delete' AND l.space IS NOT NULL AND l.space || ':' || json_extract(l.key, '$[0]') = op.owner)
			 WHERE clash = 0 AND op <> 'delete' AND owner IN (SELECT space || ':' || json_extract(key, '$[0]') FROM work.live_op WHERE op = 'delete' AND space IS NOT NULL)"
		);
		$this->forgetEqual();
		$this->pdo->commit();
	}

	/** New users whose login or email address somebody on the site has who is not to be removed. */
	private function findSameUsers() {
		$table = $this->diff->rules->prefix . 'users';
		$has   = $this->diff->columns( 'stage', $table );
		if ( null === $has || null === $this->diff->columns( 'main', $table ) || array_diff( array( 'ID', 'user_login', 'user_email' ), $has['names'] ) ) {
			return;
		}
		$name  = Easydash_Merge_Diff::name( $table );
		$query = $this->pdo->prepare(
			"SELECT op.id, min(m.ID) FROM work.op op JOIN stage.$name s ON s.{$has['rowid']} = op.source
				JOIN main.$name m ON m.user_login = s.user_login COLLATE NOCASE OR (s.user_email <> '' AND m.user_email = s.user_email COLLATE NOCASE)
			 WHERE op.tbl = :table AND op.op = 'add' AND NOT EXISTS
				(SELECT 1 FROM work.op d WHERE d.tbl = op.tbl AND d.op = 'delete' AND d.clash = 0 AND d.key = json_array(CAST(m.ID AS TEXT)))
			 GROUP BY op.id"
		);
		$query->execute( array( ':table' => $table ) );
		$mark = $this->pdo->prepare(
			'UPDATE work.op SET clash = ' . self::SAME_USER . ', same = ?, live = (SELECT min(l.id) FROM work.live_op l WHERE l.tbl = op.tbl AND l.key = json_array(CAST(? AS TEXT))) WHERE id = ?'
		);
		foreach ( $query->fetchAll( PDO::FETCH_NUM ) as list( $id, $user ) ) {
			$mark->execute( array( (int) $user, (int) $user, (int) $id ) );
		}
	}

	/** Both sides have the same value by now. */
	private function forgetEqual() {
		$query = $this->pdo->query( "SELECT id, tbl, op, cols, source, live FROM work.op WHERE clash = 1 AND NOT free AND op IN ('change', 'add')" );
		$equal = array();
		foreach ( $query->fetchAll( PDO::FETCH_ASSOC ) as $op ) {
			$live = $this->pdo->query( 'SELECT op, source FROM work.live_op WHERE id = ' . (int) $op['live'] )->fetch( PDO::FETCH_ASSOC );
			if ( ! $live || 'delete' === $live['op'] ) {
				continue;
			}
			$ours   = $this->diff->row( 'stage', $op['tbl'], $op['source'] );
			$theirs = $this->diff->row( 'main', $op['tbl'], $live['source'] );
			if ( null === $ours || null === $theirs ) {
				continue;
			}
			$columns = json_decode( $op['cols'], true );
			$columns = $columns ? $columns : array_diff( array_keys( $ours ), array( 'option_id' ) );
			$same    = true;
			foreach ( $columns as $column ) {
				$value = $ours[ $column ] ?? null;
				$same  = $same && array_key_exists( $column, $theirs ) && $theirs[ $column ] === ( is_string( $value ) ? $this->replacer->text( $value ) : $value );
			}
			if ( $same ) {
				$equal[] = (int) $op['id'];
			}
		}
		foreach ( $equal as $id ) {
			$this->pdo->exec( "DELETE FROM work.op WHERE id = $id" );
		}
	}

	/** Names a clash: another one as soon as either side changes again. */
	public static function id( $op ) {
		return substr( sha1( implode( "\n", array( $op['tbl'], $op['key'], $op['op'], $op['hash'], $op['sub'], $op['live_op'] ?? '', $op['live_hash'] ?? '' ) ) ), 0, 16 );
	}

	const CLASHES = 'SELECT op.*, l.op AS live_op, l.hash AS live_hash, l.source AS live_source, l.label AS live_label, l.detail AS live_detail, l.cols AS live_cols, l.tbl AS live_tbl
		FROM work.op LEFT JOIN work.live_op l ON l.id = op.live';

	/** What a push would do. */
	public function summary() {
		$kinds = array();
		foreach ( array( 'op' => 'staging', 'live_op' => 'live' ) as $table => $side ) {
			/* Parts make their post, user and so on a changed one. */
			$query = $this->pdo->query(
				"SELECT kind, what, count(*) FROM (SELECT kind, item, coalesce(max(CASE WHEN own THEN op END), 'change') AS what FROM work.$table GROUP BY kind, item) GROUP BY kind, what"
			);
			foreach ( $query->fetchAll( PDO::FETCH_NUM ) as list( $kind, $what, $count ) ) {
				$kinds[ $kind ][ $side ][ $what ] = (int) $count;
			}
			$samples = $this->pdo->prepare( "SELECT max(label) AS label, coalesce(max(CASE WHEN own THEN op END), 'change') AS what FROM work.$table WHERE kind = ? GROUP BY item ORDER BY min(id) LIMIT " . self::MAX_SAMPLES );
			foreach ( array_keys( $kinds ) as $kind ) {
				$samples->execute( array( $kind ) );
				$kinds[ $kind ][ "{$side}_samples" ] = $samples->fetchAll( PDO::FETCH_ASSOC );
			}
		}
		$list = array();
		foreach ( $kinds as $kind => $about ) {
			$one = array( 'kind' => $kind );
			foreach ( array( 'staging', 'live' ) as $side ) {
				$counts       = $about[ $side ] ?? array();
				$one[ $side ] = array(
					'added'   => $counts['add'] ?? 0,
					'changed' => $counts['change'] ?? 0,
					'deleted' => $counts['delete'] ?? 0,
					'samples' => $about[ "{$side}_samples" ] ?? array(),
				);
			}
			$list[] = $one;
		}
		$total   = 0;
		$clashes = array();
		$digest  = hash_init( 'sha256' );
		$query   = $this->pdo->query( self::CLASHES . ' ORDER BY op.tbl, op.key, op.op, op.hash, op.id' );
		while ( $op = $query->fetch( PDO::FETCH_ASSOC ) ) {
			$listed = in_array( (int) $op['clash'], array( self::CHANGED, self::NUMBER, self::SAME_USER ), true );
			hash_update( $digest, self::id( $op ) . ( $listed ? $op['clash'] : '' ) );
			if ( ! $listed ) {
				continue;
			}
			++$total;
			if ( count( $clashes ) < self::MAX_CLASHES ) {
				$clashes[] = $op;
			}
		}
		$query->closeCursor();
		return array(
			'digest'  => hash_final( $digest ),
			'kinds'   => $list,
			'clashes' => array_map( array( $this, 'clash' ), $clashes ),
			'total'   => $total,
			'notes'   => $this->pdo->query( 'SELECT substr(tbl, 1, 190) AS "table", note FROM work.note ORDER BY tbl LIMIT ' . self::MAX_NOTES )->fetchAll( PDO::FETCH_ASSOC ),
		);
	}

	private function clash( $op ) {
		$columns = json_decode( $op['cols'], true );
		$ours    = null === $op['source'] ? null : $this->diff->row( 'stage', $op['tbl'], $op['source'] );
		$theirs  = null === $op['live_source'] ? null : $this->diff->row( 'main', $op['live_tbl'], $op['live_source'] );
		$column  = Easydash_Merge_Excerpt::column( (array) $columns, (array) json_decode( $op['live_cols'] ?? '[]', true ), $ours ?? $theirs ?? array() );
		$detail  = null !== $op['sub'] ? $op['detail'] : implode( ', ', array_slice( (array) $columns, 0, 6 ) );
		return array(
			'id'       => self::id( $op ),
			'kind'     => $op['kind'],
			'type'     => self::NUMBER === (int) $op['clash'] ? 'number' : 'changed',
			'label'    => $op['label'],
			'detail'   => Easydash_Merge_Diff::text( $detail, 160 ),
			'staging'  => array( 'op' => $op['op'] ) + Easydash_Merge_Excerpt::of( $ours, $theirs, $column, $op['label'] ),
			'live'     => array( 'op' => $op['live_op'] ?? 'change' ) + ( $op['live_tbl'] === $op['tbl'] ? Easydash_Merge_Excerpt::of( $theirs, $ours, $column, $op['live_label'] ) : Easydash_Merge_Excerpt::label( $op['live_label'] ) ),
		);
	}
}
