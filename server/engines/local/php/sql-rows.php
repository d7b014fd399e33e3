<?php
/* The rows of an INSERT statement that has only literal values. */

final class Easydash_Sql_Rows {
	/** What MySQL's escapes stand for; any other sign after a backslash stands for itself. */
	private static $escapes = null;

	/**
	 * What an INSERT or REPLACE with values says: table, columns (or null) and the position of its rows. Null if it is another
	 * statement.
	 */
	public static function head( $sql ) {
		$name = '(?:`((?:[^`]|``){1,64})`|([A-Za-z0-9_$]{1,64}))';
		if ( ! preg_match( "/^(?:INSERT|REPLACE)\s+(?:(?:LOW_PRIORITY|DELAYED|HIGH_PRIORITY|IGNORE)\s+){0,3}(?:INTO\s+)?$name\s*(\([^()]{1,20000}\)\s*)?VALUES?\s*(?=\()/iA", $sql, $found ) ) {
			return null;
		}
		$columns = null;
		if ( isset( $found[3] ) && '' !== $found[3] ) {
			$columns = array();
			foreach ( explode( ',', trim( $found[3], "() \t\r\n" ) ) as $column ) {
				$columns[] = str_replace( '``', '`', trim( trim( $column ), '`' ) );
			}
		}
		return array(
			'table'   => '' !== $found[1] ? str_replace( '``', '`', $found[1] ) : $found[2],
			'columns' => $columns,
			'at'      => strlen( $found[0] ),
		);
	}

	/** Calls $row with the values of each row. False if something else than literals follows; nothing was called then. */
	public static function each( $sql, $at, $row ) {
		return self::read( $sql, $at, null ) && self::read( $sql, $at, $row );
	}

	private static function read( $sql, $at, $row ) {
		$end = strlen( $sql );
		while ( true ) {
			$at += strspn( $sql, " \t\r\n", $at );
			if ( $at >= $end || '(' !== $sql[ $at ] ) {
				return false;
			}
			++$at;
			$values = array();
			while ( true ) {
				$at += strspn( $sql, " \t\r\n", $at );
				if ( $at >= $end || ! self::value( $sql, $at, $values, null !== $row ) ) {
					return false;
				}
				$at += strspn( $sql, " \t\r\n", $at );
				$char = $sql[ $at ] ?? '';
				++$at;
				if ( ')' === $char ) {
					break;
				}
				if ( ',' !== $char ) {
					return false;
				}
			}
			if ( null !== $row ) {
				$row( $values );
			}
			$at += strspn( $sql, " \t\r\n", $at );
			if ( $at >= $end ) {
				return true;
			}
			if ( ',' !== $sql[ $at ] ) {
				return false;
			}
			++$at;
		}
	}

	/** Adds the literal at a position to the values, and moves behind it. */
	private static function value( $sql, &$at, &$values, $keep ) {
		$char = $sql[ $at ];
		if ( '_' === $char && preg_match( '/\G_(?:binary|utf8mb4|utf8mb3|utf8|latin1|ascii)\s{0,20}(?=[\'"0xX])/i', $sql, $found, 0, $at ) ) {
			$at  += strlen( $found[0] );
			$char = $sql[ $at ];
		}
		if ( "'" === $char || '"' === $char ) {
			return self::text( $sql, $at, $char, $values, $keep );
		}
		if ( preg_match( '/\G(?:NULL|TRUE|FALSE)\b/i', $sql, $found, 0, $at ) ) {
			$at      += strlen( $found[0] );
			$values[] = array( 'NULL' => null, 'TRUE' => 1, 'FALSE' => 0 )[ strtoupper( $found[0] ) ];
			return true;
		}
		if ( '0' === $char && 'x' === ( $sql[ $at + 1 ] ?? '' ) ) {
			$length = strspn( $sql, '0123456789abcdefABCDEF', $at + 2 );
			$values[] = $keep ? hex2bin( ( $length % 2 ? '0' : '' ) . substr( $sql, $at + 2, $length ) ) : null;
			$at      += 2 + $length;
			return true;
		}
		if ( ( 'x' === $char || 'X' === $char ) && "'" === ( $sql[ $at + 1 ] ?? '' ) ) {
			$length = strspn( $sql, '0123456789abcdefABCDEF', $at + 2 );
			if ( $length % 2 || "'" !== ( $sql[ $at + 2 + $length ] ?? '' ) ) {
				return false;
			}
			$values[] = $keep ? hex2bin( substr( $sql, $at + 2, $length ) ) : null;
			$at      += 3 + $length;
			return true;
		}
		if ( preg_match( '/\G[+-]?(?:\d{1,80}(?:\.\d{0,80})?|\.\d{1,80})(?:e[+-]?\d{1,4})?(?![\w.])/i', $sql, $found, 0, $at ) ) {
			$at += strlen( $found[0] );
			/* As a text: large numbers keep their digits, and the column makes it a number. */
			$values[] = $found[0];
			return true;
		}
		return false;
	}

	private static function text( $sql, &$at, $quote, &$values, $keep ) {
		$start = ++$at;
		$plain = true;
		while ( true ) {
			$at += strcspn( $sql, $quote . '\\', $at );
			if ( $at >= strlen( $sql ) ) {
				return false;
			}
			if ( '\\' === $sql[ $at ] || ( $sql[ $at + 1 ] ?? '' ) === $quote ) {
				$plain = false;
				$at   += 2;
				continue;
			}
			break;
		}
		$text = $keep ? substr( $sql, $start, $at - $start ) : '';
		++$at;
		$values[] = $plain ? $text : strtr( $text, self::escapes( $quote ) );
		return true;
	}

	private static function escapes( $quote ) {
		if ( null === self::$escapes ) {
			self::$escapes = array();
			for ( $code = 33; $code < 127; $code++ ) {
				self::$escapes[ '\\' . chr( $code ) ] = chr( $code );
			}
			self::$escapes = array(
				'\\0' => "\0",
				'\\b' => "\x08",
				'\\n' => "\n",
				'\\r' => "\r",
				'\\t' => "\t",
				'\\Z' => "\x1a",
			) + self::$escapes;
		}
		return self::$escapes + array( $quote . $quote => $quote );
	}
}
