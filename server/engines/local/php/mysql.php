<?php
/* The MySQL of a site as its configuration names it; no code of the site runs. */

/** Constants of wp-config.php with what a site connects with. */
const EASYDASH_LOGIN = array(
	'database' => 'DB_NAME',
	'user'     => 'DB_USER',
	'password' => 'DB_PASSWORD',
	'host'     => 'DB_HOST',
);

/** The definition of a constant, in the one form in which it can be replaced. */
function easydash_definition( $name ) {
	return "/^([ \\t]{0,20}define\\(\\s{0,20}(['\"])$name\\2\\s{0,20},\\s{0,20})'((?:[^'\\\\\\\\\\r\\n]){0,200})'(\\s{0,20}\\)\\s{0,20};)/m";
}

/** The text of wp-config.php. Throws unless it names a database in that form. */
function easydash_config() {
	$config = '/wordpress/wp-config.php';
	if ( ! is_file( $config ) ) {
		/* Where WordPress looks for it, too. */
		$config = dirname( '/wordpress' ) . '/wp-config.php';
	}
	$text = is_file( $config ) ? file_get_contents( $config, false, null, 0, 1000000 ) : '';
	foreach ( EASYDASH_LOGIN as $name ) {
		if ( 1 !== preg_match_all( easydash_definition( $name ), $text ) ) {
			throw new RuntimeException( "wp-config.php must define $name once, as define( '$name', '...' );" );
		}
	}
	return $text;
}

/** What the configuration says. */
function easydash_login() {
	$text  = easydash_config();
	$login = array();
	foreach ( EASYDASH_LOGIN as $key => $name ) {
		preg_match( easydash_definition( $name ), $text, $found );
		$login[ $key ] = $found[3];
	}
	return $login;
}

/** Connects. Every later error is an exception. */
function easydash_mysql( $login ) {
	mysqli_report( MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT );
	list( $host, $port ) = explode( ':', $login['host'] . ':3306' );
	$mysql = new mysqli( $host, $login['user'], $login['password'], $login['database'], (int) $port );
	$mysql->set_charset( 'utf8mb4' );
	return $mysql;
}

/** The same with names in double quotes and texts that || joins, as SQLite reads them; rows are not kept in memory. */
function easydash_mysql_pdo( $login ) {
	list( $host, $port ) = explode( ':', $login['host'] . ':3306' );
	$pdo = new PDO(
		"mysql:host=$host;port=$port;dbname={$login['database']};charset=utf8mb4",
		$login['user'],
		$login['password'],
		array(
			PDO::ATTR_ERRMODE                  => PDO::ERRMODE_EXCEPTION,
			PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => false,
			PDO::MYSQL_ATTR_MULTI_STATEMENTS   => false,
		)
	);
	$pdo->exec( "SET SESSION sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT'" );
	return $pdo;
}

/** Quotes a name for MySQL. */
function easydash_mysql_name( $name ) {
	return '`' . str_replace( '`', '``', $name ) . '`';
}

/** Whether the server is MariaDB. */
function easydash_is_mariadb( $mysql ) {
	return false !== stripos( $mysql->server_info, 'mariadb' );
}

/** Ends each further statement that runs longer; MySQL does that for those that read. */
function easydash_mysql_seconds( $mysql, $seconds ) {
	$mysql->query( easydash_is_mariadb( $mysql ) ? sprintf( 'SET SESSION max_statement_time = %.3F', $seconds ) : sprintf( 'SET SESSION max_execution_time = %d', max( 1, 1000 * $seconds ) ) );
}

/** Whether a statement was ended because it ran for too long: errors of MariaDB, MySQL, and of both for KILL QUERY. */
function easydash_mysql_is_late( $error ) {
	return in_array( $error->getCode(), array( 1969, 3024, 1317 ), true );
}
