<?php
/*
 * Looks for what an import may have damaged, without running code of the site: the database is read directly.
 * Input: prefix, mysql (the database is MySQL; default: SQLite). Result: rows (of tables), pages (path and title), missing (media files), plugins and
 * themes (active, but not there), unserializable (where), links (path
 * and where), counts.
 */
require '/internal/easydash/driver.php';
require '/internal/easydash/mysql.php';

final class Easydash_Parity {
	const DATABASE = '/wordpress/wp-content/database/.ht.sqlite';
	const SECONDS  = 20;
	/** Most of each that is named. */
	const NAMED = 100;

	public $missing        = array();
	public $unserializable = array();
	public $plugins        = array();
	public $themes         = array();
	public $counts         = array(
		'media'          => 0,
		'missing'        => 0,
		'unserializable' => 0,
		'serialized'     => 0,
		'gone_plugins'   => 0,
		/* Part of it was not looked at: the time was over, or values are too large. */
		'partial'        => 0,
	);
	private $pdo;
	private $tables;
	private $prefix;
	private $until;

	public function __construct( $prefix, $mysql ) {
		$this->pdo    = $mysql ? easydash_mysql_pdo( easydash_login() ) : easydash_driver( self::DATABASE )->get_sqlite_pdo();
		$this->tables = $mysql
			? $this->pdo->query( "SHOW FULL TABLES WHERE Table_type = 'BASE TABLE'" )->fetchAll( PDO::FETCH_COLUMN )
			: easydash_tables( $this->pdo );
		$this->prefix = $prefix;
		$this->until  = microtime( true ) + self::SECONDS;
	}

	/** Rows of each table. */
	public function rows() {
		$rows = array();
		foreach ( array_slice( $this->tables, 0, 500 ) as $table ) {
			$rows[] = array( easydash_line( $table, 64 ), (int) $this->pdo->query( 'SELECT COUNT(*) FROM ' . easydash_name( $table ) )->fetchAll( PDO::FETCH_COLUMN )[0] );
		}
		return $rows;
	}

	/** Media whose file is not there. */
	public function media() {
		$query = $this->pdo->query( 'SELECT post_id, meta_value FROM ' . $this->table( 'postmeta' ) . " WHERE meta_key = '_wp_attached_file' ORDER BY post_id" );
		while ( ( $row = $query->fetch( PDO::FETCH_NUM ) ) && $this->in_time() ) {
			++$this->counts['media'];
			$path = (string) $row[1];
			if ( preg_match( '~^[a-z]+://~i', $path ) || strlen( $path ) > 1000 || in_array( '..', explode( '/', $path ), true ) ) {
				continue;
			}
			if ( ! is_file( '/wordpress/wp-content/uploads/' . ltrim( $path, '/' ) ) ) {
				++$this->counts['missing'];
				if ( count( $this->missing ) < self::NAMED ) {
					$this->missing[] = easydash_line( $path, 150 );
				}
			}
		}
		$query->closeCursor();
	}

	/** Active plugins, and the theme with its parent, whose files are not there. */
	public function active() {
		$options = array();
		$query   = $this->pdo->query( 'SELECT option_name, option_value FROM ' . $this->table( 'options' ) . " WHERE option_name IN ('active_plugins', 'template', 'stylesheet')" );
		while ( $row = $query->fetch( PDO::FETCH_NUM ) ) {
			$options[ $row[0] ] = (string) $row[1];
		}
		$plugins = @unserialize( $options['active_plugins'] ?? '', array( 'allowed_classes' => false ) );
		foreach ( is_array( $plugins ) ? $plugins : array() as $plugin ) {
			if ( ! is_string( $plugin ) || $this->is_there( "plugins/$plugin" ) ) {
				continue;
			}
			++$this->counts['gone_plugins'];
			if ( count( $this->plugins ) < self::NAMED ) {
				$this->plugins[] = easydash_line( $plugin, 150 );
			}
		}
		foreach ( array_unique( array( $options['stylesheet'] ?? '', $options['template'] ?? '' ) ) as $theme ) {
			if ( '' !== $theme && ! $this->is_there( "themes/$theme/style.css" ) ) {
				$this->themes[] = easydash_line( $theme, 150 );
			}
		}
	}

	private function is_there( $path ) {
		return strlen( $path ) < 1000 && ! in_array( '..', explode( '/', $path ), true ) && is_file( "/wordpress/wp-content/$path" );
	}

	/** Values that look serialized and are not, in the tables of WordPress whose values code of plugins reads. */
	public function serialized() {
		$places = array(
			array( 'options', 'option_name', 'option_value' ),
			array( 'postmeta', 'meta_key', 'meta_value' ),
			array( 'usermeta', 'meta_key', 'meta_value' ),
			array( 'termmeta', 'meta_key', 'meta_value' ),
			array( 'commentmeta', 'meta_key', 'meta_value' ),
		);
		foreach ( $places as list( $table, $name, $value ) ) {
			try {
				$query = $this->pdo->query(
					"SELECT $name, CASE WHEN length($value) < 4000000 THEN $value END FROM " . $this->table( $table ) .
					" WHERE ((substr($value, 1, 2) IN ('a:', 'O:', 'C:', 'E:') AND substr($value, -1) = '}') OR (substr($value, 1, 2) = 's:' AND substr($value, -2) = '\";'))"
				);
			} catch ( PDOException $error ) {
				continue;
			}
			while ( ( $row = $query->fetch( PDO::FETCH_NUM ) ) && $this->in_time() ) {
				if ( null === $row[1] ) {
					$this->counts['partial'] = 1;
					continue;
				}
				if ( ! preg_match( '/^(?:[aOCE]:\d[^:]{0,40}:|s:\d[^:]{0,40}:")/', $row[1] ) ) {
					continue;
				}
				++$this->counts['serialized'];
				/* No class of the site is loaded, so none of its code can run. */
				if ( false === @unserialize( $row[1], array( 'allowed_classes' => false ) ) ) {
					++$this->counts['unserializable'];
					if ( count( $this->unserializable ) < self::NAMED ) {
						$this->unserializable[] = easydash_line( "$table: {$row[0]}", 150 );
					}
				}
			}
			$query->closeCursor();
		}
	}

	private function in_time() {
		if ( microtime( true ) < $this->until ) {
			return true;
		}
		$this->counts['partial'] = 1;
		return false;
	}

	private function table( $name ) {
		return easydash_name( $this->prefix . $name );
	}
}

ini_set( 'memory_limit', '512M' );
$input  = json_decode( $_SERVER['EASYDASH_INPUT'], true );
$result = array( 'problem' => null );
try {
	$parity         = new Easydash_Parity( $input['prefix'], ! empty( $input['mysql'] ) );
	$result['rows'] = $parity->rows();
	if ( empty( $input['rows_only'] ) ) {
		$parity->active();
		$parity->media();
		$parity->serialized();
	}
	$result['missing']        = $parity->missing;
	$result['plugins']        = $parity->plugins;
	$result['themes']         = $parity->themes;
	$result['unserializable'] = $parity->unserializable;
	$result['counts']         = $parity->counts;
} catch ( Throwable $error ) {
	$result['problem'] = easydash_line( $error->getMessage() );
}
file_put_contents( $_SERVER['EASYDASH_RESULT'], json_encode( $result, JSON_INVALID_UTF8_SUBSTITUTE ) );
