<?php
/*
 * Compares texts as MySQL's default collation does, where SQLite knows the cases of ASCII only: neither case nor accents count. For LIKE,
 * for comparisons (=, <>, IN) with a text that has other letters than those of ASCII, and for comparisons and orders of columns that people
 * write (EASYDASH_PROSE).
 *
 * What stays different: unique keys, DISTINCT, GROUP BY, comparisons of two columns, and statements that write. They use the indexes and the
 * collation of the tables, which every program that opens the database must know, so it is one that SQLite has itself. And an ASCII text in
 * any other column (slugs, keys, logins, email addresses): these are asked with every page, by an index that knows no accents.
 */

/** Columns whose comparisons with ASCII texts find other letters, too: no page needs an index of them. */
const EASYDASH_PROSE = array( 'post_title', 'post_excerpt', 'post_content', 'name', 'description', 'display_name', 'comment_author', 'comment_content', 'meta_value' );
/** Finds texts that have more than the printable signs of ASCII. SQLite does this without calling PHP. */
const EASYDASH_OTHER = "'*[^ -~]*'";

/** Letters that are equal to others, in lower case. Those of Russian that are letters of their own (й) are none. */
const EASYDASH_LETTERS = array(
	'a' => 'àáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ',
	'ae' => 'æǽ',
	'b' => 'ḃḅḇ',
	'c' => 'çćĉċčḉ',
	'd' => 'ďđḋḍḏḑḓ',
	'e' => 'èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ',
	'f' => 'ḟ',
	'g' => 'ĝğġģǧǵḡ',
	'h' => 'ĥħȟḣḥḧḩḫẖ',
	'i' => 'ìíîïĩīĭįǐȉȋḭḯỉị',
	'ij' => 'ĳ',
	'j' => 'ĵǰ',
	'k' => 'ķǩḱḳḵ',
	'l' => 'ĺļľłḷḹḻḽ',
	'm' => 'ḿṁṃ',
	'n' => 'ñńņňǹṅṇṉṋ',
	'o' => 'òóôõöøōŏőơǒǫǭǿȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợ',
	'oe' => 'œ',
	'p' => 'ṕṗ',
	'r' => 'ŕŗřȑȓṙṛṝṟ',
	's' => 'śŝşšșṡṣṥṧṩ',
	'ss' => 'ß',
	't' => 'ţťțṫṭṯṱẗ',
	'u' => 'ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự',
	'v' => 'ṽṿ',
	'w' => 'ŵẁẃẅẇẉẘ',
	'x' => 'ẋẍ',
	'y' => 'ýÿŷȳẏẙỳỵỷỹ',
	'z' => 'źżžẑẓẕ',
	'æ' => 'ǣ',
	'ſ' => 'ẛ',
	'ʒ' => 'ǯ',
	'ʹ' => 'ʹ',
	'α' => 'άἀἁἂἃἄἅἆἇὰάᾀᾁᾂᾃᾄᾅᾆᾇᾰᾱᾲᾳᾴᾶᾷ',
	'ε' => 'έἐἑἒἓἔἕὲέ',
	'η' => 'ήἠἡἢἣἤἥἦἧὴήᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇ',
	'ι' => 'ΐίϊἰἱἲἳἴἵἶἷὶίιῐῑῒΐῖῗ',
	'ο' => 'όὀὁὂὃὄὅὸό',
	'ρ' => 'ῤῥ',
	'σ' => 'ς',
	'υ' => 'ΰϋύὐὑὒὓὔὕὖὗὺύῠῡῢΰῦῧ',
	'ω' => 'ώὠὡὢὣὤὥὦὧὼώᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷ',
	'ϒ' => 'ϓϔ',
	'а' => 'ӑӓ',
	'г' => 'ѓ',
	'е' => 'ѐёӗ',
	'ж' => 'ӂӝ',
	'з' => 'ӟ',
	'и' => 'ѝӣӥ',
	'к' => 'ќ',
	'о' => 'ӧ',
	'у' => 'ўӯӱӳ',
	'ч' => 'ӵ',
	'ы' => 'ӹ',
	'э' => 'ӭ',
	'і' => 'ї',
	'ѵ' => 'ѷ',
	'ә' => 'ӛ',
	'ө' => 'ӫ',
);

/** A text without case and accents. */
function easydash_fold( $text ) {
	if ( ! preg_match( '/[\x80-\xff]/', $text ) ) {
		return strtolower( $text );
	}
	static $letters = null;
	if ( null === $letters ) {
		$letters = array();
		foreach ( EASYDASH_LETTERS as $base => $equal ) {
			$letters += array_fill_keys( mb_str_split( $equal, 1, 'UTF-8' ), $base );
		}
	}
	$text = strtr( mb_strtolower( $text, 'UTF-8' ), $letters );
	/* Accents that are characters of their own. */
	return preg_replace( '/(?<!и)\p{Mn}+/u', '', $text ) ?? $text;
}

/** The parts of a folded pattern of LIKE: texts, and true for %, false for _. */
function easydash_like_parts( $pattern, $escape ) {
	$parts = array();
	$text  = '';
	$count = strlen( $pattern );
	for ( $at = 0; $at < $count; $at++ ) {
		$byte = $pattern[ $at ];
		if ( $byte === $escape && $at + 1 < $count ) {
			$text .= $pattern[ ++$at ];
		} elseif ( '%' === $byte || '_' === $byte ) {
			array_push( $parts, easydash_fold( $text ), '%' === $byte );
			$text = '';
		} else {
			$text .= $byte;
		}
	}
	$parts[] = easydash_fold( $text );
	return $parts;
}

/** LIKE of SQLite, which calls it with the pattern first. */
function easydash_like( $pattern, $text, $escape = null ) {
	if ( null === $pattern || null === $text ) {
		return null;
	}
	/* One statement asks the same of many rows. */
	static $known = array();
	$key = $escape . "\0" . $pattern;
	if ( ! isset( $known[ $key ] ) ) {
		if ( count( $known ) >= 100 ) {
			$known = array();
		}
		$known[ $key ] = easydash_like_parts( (string) $pattern, $escape );
	}
	$parts = $known[ $key ];
	$text  = easydash_fold( (string) $text );
	if ( 1 === count( $parts ) ) {
		return (int) ( $parts[0] === $text );
	}
	if ( array( '', true ) === array_slice( $parts, 0, 2 ) && array( true, '' ) === array_slice( $parts, -2 ) && 5 === count( $parts ) ) {
		return (int) ( false !== strpos( $text, $parts[2] ) );
	}
	$regex = '';
	foreach ( $parts as $part ) {
		$regex .= is_string( $part ) ? preg_quote( $part, '/' ) : ( $part ? '.*' : '.' );
	}
	$found = preg_match( "/^$regex\$/Dsu", $text );
	/* No text, but bytes. */
	return false === $found ? (int) preg_match( "/^$regex\$/Ds", $text ) : $found;
}

/** Whether a text equals one of others. SQLite calls it for each row. */
function easydash_is( $text, ...$others ) {
	if ( null === $text ) {
		return null;
	}
	static $asked = null, $known = array();
	if ( $asked !== $others ) {
		$asked = $others;
		$known = array_map( 'easydash_fold', array_map( 'strval', $others ) );
	}
	return (int) in_array( easydash_fold( (string) $text ), $known, true );
}

/** The comparison of a column with texts; `$is` is =, <>, != or [NOT] IN, `$texts` what follows it. */
function easydash_comparison( $column, $is, $texts ) {
	$list  = '(' === $texts[0] ? substr( $texts, 1, -1 ) : $texts;
	$equal = "EASYDASH_IS($column, $list)";
	if ( ! preg_match( '/[\x80-\xff]/', $texts ) ) {
		/* The texts of most rows are ASCII. */
		$equal = "($column IN ($list) OR (GLOB(" . EASYDASH_OTHER . ", $column) AND $equal))";
	}
	return preg_match( '/^(?:=|IN$)/i', $is ) ? $equal : "(NOT $equal)";
}

/** The columns of an ORDER BY, with those of people's texts ordered without case and accents. */
function easydash_order( $order, $query ) {
	/* Without a table's name, it must be clear which column is meant. */
	$table = preg_match( '/\bJOIN\b/i', $query ) ? '(?:`?\w+`?\.)' : '(?:`?\w+`?\.)?';
	return preg_replace_callback(
		"/(?<=\\s|,)(?<column>$table`?(?<name>" . implode( '|', EASYDASH_PROSE ) . ')`?)(?=\s*(?:,|$|(?:ASC|DESC|LIMIT)\b))/i',
		function ( $match ) use ( $query ) {
			if ( false === strpos( $match['column'], '.' ) && preg_match( "/\\bAS\\s+[`'\"]?{$match['name']}\\b/i", $query ) ) {
				return $match[0];
			}
			$column = $match['column'];
			return 'CASE WHEN GLOB(' . EASYDASH_OTHER . ", $column) THEN EASYDASH_FOLD($column) ELSE LOWER($column) END";
		},
		$order
	);
}

/**
 * A statement that compares texts as MySQL does. Only what reads is changed, and nothing that says itself how to compare.
 */
function easydash_collated( $query ) {
	static $needed = null, $statement = null;
	if ( null === $needed ) {
		$prose  = implode( '|', EASYDASH_PROSE );
		$needed = "/[\\x80-\\xff]|\\b(?:$prose)\\b/i";
		$text   = "(?:'(?:[^'\\\\]++|\\\\.|'')*+'|\"(?:[^\"\\\\]++|\\\\.|\"\")*+\")";
		$column = '(?:`?\w+`?\.)?`?(?<name>\w+)`?';
		/* A comparison that nothing binds more tightly; a comparison of anything; the order of a query; names and texts. */
		$statement = "/(?<before>(?:[(,]|\\b(?:WHERE|AND|OR|NOT|ON|HAVING|WHEN)\\b)\\s*)(?<column>$column)\\s*(?<is>=|<>|!=|(?:\\bNOT\\s+)?\\bIN\\b)\\s*"
			. "(?<texts>$text|\\(\\s*$text(?:\\s*,\\s*$text)*+\\s*\\))(?!\\s*(?:['\"+*\\/%|^&<>=!-]|\\b(?:DIV|MOD)\\b))"
			. "|(?:(?<![<>!:])(?<equal>=)|(?<unequal><>|!=))\\s*(?<text>$text)(?!\\s*['\"])"
			. "|(?<order>\\bORDER\\s+BY\\b(?:[^'\"()`]++|`\\w+`)++)|`[^`]*+`|$text/is";
	}
	if ( ! preg_match( '/^\s*SELECT\b/i', $query ) || ! preg_match( $needed, $query ) || preg_match( '/\b(?:BINARY|COLLATE)\b/i', $query ) ) {
		return $query;
	}
	$united = preg_match( '/\b(?:UNION|EXCEPT|INTERSECT)\b/i', $query );
	return preg_replace_callback(
		$statement,
		function ( $match ) use ( $query, $united ) {
			if ( null !== $match['order'] ) {
				return $united ? $match[0] : easydash_order( $match['order'], $query );
			}
			if ( null !== $match['column'] ) {
				$is_changed = preg_match( '/[\x80-\xff]/', $match['texts'] ) || in_array( strtolower( $match['name'] ), EASYDASH_PROSE, true );
				return $is_changed ? $match['before'] . easydash_comparison( $match['column'], $match['is'], $match['texts'] ) : $match[0];
			}
			$text = $match['text'] ?? '';
			/* What is escaped already would need it twice. */
			if ( ! preg_match( '/[\x80-\xff]/', $text ) || false !== strpos( $text, '\\' ) ) {
				return $match[0];
			}
			return ( null === $match['equal'] ? ' NOT' : '' ) . ' LIKE ' . preg_replace( '/[%_]/', '\\\\$0', $text );
		},
		$query,
		-1,
		$count,
		PREG_UNMATCHED_AS_NULL
	) ?? $query;
}

/** Gives a database of SQLite these comparisons. */
function easydash_collate( $pdo ) {
	$define = $pdo instanceof \PDO && method_exists( $pdo, 'createFunction' ) ? 'createFunction' : 'sqliteCreateFunction';
	$pdo->$define( 'like', 'easydash_like', 2 );
	$pdo->$define( 'like', 'easydash_like', 3 );
	$pdo->$define( 'easydash_is', 'easydash_is', -1 );
	$pdo->$define( 'easydash_fold', 'easydash_fold', 1 );
}
