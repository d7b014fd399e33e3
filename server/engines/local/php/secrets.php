<?php
/* What is never shown of a database, by the table browser or in a plan: values that open an account or another service. */

final class Easydash_Secrets {
	/** Parts of names, and ends of names, of secrets. */
	const PARTS = array( 'passw', 'secret', 'token', 'api_key', 'apikey', 'private_key', 'activation_key', 'consumer_key', 'credential', 'auth_key', 'logged_in_key', 'nonce_key', 'recovery_key', 'totp_key', 'license_key', 'access_key', 'encryption_key', 'session_key', 'session_id' );
	const ENDS  = array( '_pass', '_salt', '_pwd' );
	/** Columns whose values are named by another column. */
	const NAMED = array(
		'meta_value'   => 'meta_key',
		'option_value' => 'option_name',
	);

	public static function is_named( $name ) {
		$name = strtolower( $name );
		foreach ( self::PARTS as $part ) {
			if ( false !== strpos( $name, $part ) ) {
				return true;
			}
		}
		foreach ( self::ENDS as $end ) {
			if ( substr( $name, -strlen( $end ) ) === $end ) {
				return true;
			}
		}
		return false;
	}

	/** Whether the value of a column in a row (name => value) is a secret, or structured data that holds one. */
	public static function is_in( $row, $column ) {
		if ( self::is_named( $column ) ) {
			return true;
		}
		$by = self::NAMED[ strtolower( $column ) ] ?? null;
		foreach ( $row as $name => $value ) {
			if ( null !== $by && strtolower( $name ) === $by && self::is_named( (string) $value ) ) {
				return true;
			}
		}
		return self::is_held( (string) ( $row[ $column ] ?? '' ) );
	}

	/** Whether serialized or JSON data has a secret under a name. Settings of plugins are one such value each. */
	private static function is_held( $value ) {
		if ( ! preg_match( '/^\s{0,20}(?:[aOC]:\d|[\[{]\s{0,20}["\[{\d])/', $value ) ) {
			return false;
		}
		foreach ( array_merge( self::PARTS, array_map( fn( $end ) => $end . '"', self::ENDS ), array_map( fn( $end ) => $end . '\\"', self::ENDS ) ) as $part ) {
			if ( false !== stripos( $value, $part ) ) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Whether all values of a column are secrets (hidden), as SQL whether the one of a row is (secret), and which column names it.
	 * @param array $columns lowercase name => name.
	 */
	public static function of( $column, $columns, $quote ) {
		if ( self::is_named( $column ) ) {
			return array( 'hidden' => true, 'secret' => '1', 'named_by' => null );
		}
		$by = self::NAMED[ strtolower( $column ) ] ?? null;
		if ( null === $by || ! isset( $columns[ $by ] ) ) {
			return array( 'hidden' => false, 'secret' => '0', 'named_by' => null );
		}
		$name  = $quote( $columns[ $by ] );
		$tests = array_merge(
			array_map( fn( $part ) => "'%" . addcslashes( $part, '_' ) . "%'", self::PARTS ),
			array_map( fn( $end ) => "'%" . addcslashes( $end, '_' ) . "'", self::ENDS )
		);
		return array(
			'hidden'   => false,
			'secret'   => '(' . implode( ' OR ', array_map( fn( $like ) => "coalesce($name LIKE $like ESCAPE '\\', 0)", $tests ) ) . ')',
			'named_by' => $columns[ $by ],
		);
	}
}
