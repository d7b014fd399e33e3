<?php
/*
 * Compares texts as MySQL's default collation does, where SQLite knows the cases of ASCII only: neither case nor accents count. For LIKE,
 * and for comparisons with a text that has other letters than those of ASCII.
 */

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

/**
 * A statement whose comparisons with texts of other letters are those of LIKE. Only what reads is changed, and nothing that says itself how
 * to compare.
 */
function easydash_collated( $query ) {
	if ( ! preg_match( '/[\x80-\xff]/', $query ) || ! preg_match( '/^\s*SELECT\b/i', $query ) || preg_match( '/\b(?:BINARY|COLLATE)\b/i', $query ) ) {
		return $query;
	}
	$text = "(?:'(?:[^'\\\\]++|\\\\.|'')*+'|\"(?:[^\"\\\\]++|\\\\.|\"\")*+\")";
	return preg_replace_callback(
		"/`[^`]*+`|(?:(?<![<>!:])(?<is>=)|(?<not><>|!=))\\s*(?<text>$text)(?!\\s*['\"])|$text/s",
		function ( $match ) {
			$text = $match['text'] ?? '';
			/* What is escaped already would need it twice. */
			if ( ! preg_match( '/[\x80-\xff]/', $text ) || false !== strpos( $text, '\\' ) ) {
				return $match[0];
			}
			return ( '' === $match['is'] ? ' NOT' : '' ) . ' LIKE ' . preg_replace( '/[%_]/', '\\\\$0', $text );
		},
		$query
	) ?? $query;
}

/** Gives a database of SQLite this LIKE. */
function easydash_collate( $pdo ) {
	$define = $pdo instanceof \PDO && method_exists( $pdo, 'createFunction' ) ? 'createFunction' : 'sqliteCreateFunction';
	$pdo->$define( 'like', 'easydash_like', 2 );
	$pdo->$define( 'like', 'easydash_like', 3 );
}
