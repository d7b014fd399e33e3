<?php
/*
 * Reads the address that the database of a site has, without running its code.
 * Input: mysql (the database is MySQL; default: SQLite). Result: home (null if there is none), problem (null if there is none).
 */
$input   = json_decode( $_SERVER['EASYDASH_INPUT'], true );
$config  = is_file( '/wordpress/wp-config.php' ) ? file_get_contents( '/wordpress/wp-config.php', false, null, 0, 1000000 ) : '';
$prefix  = preg_match( '/^\s{0,20}\$table_prefix\s{0,20}=\s{0,20}[\'"](\w{1,40})[\'"]/m', $config, $found ) ? $found[1] : 'wp_';
$file    = '/wordpress/wp-content/database/.ht.sqlite';
$query   = "SELECT option_value FROM {$prefix}options WHERE option_name = 'home'";
$home    = null;
$problem = null;
try {
	if ( ! empty( $input['mysql'] ) ) {
		require '/internal/easydash/mysql.php';
		$row  = easydash_mysql( easydash_login() )->query( $query )->fetch_row();
		$home = $row ? $row[0] : null;
	} elseif ( is_file( $file ) ) {
		$pdo  = new PDO( 'sqlite:' . $file, null, null, array( PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_TIMEOUT => 10 ) );
		$home = $pdo->query( $query )->fetchColumn();
	}
} catch ( Throwable $error ) {
	$problem = mb_substr( mb_scrub( $error->getMessage(), 'UTF-8' ), 0, 300, 'UTF-8' );
}
file_put_contents(
	$_SERVER['EASYDASH_RESULT'],
	json_encode(
		array(
			'home'    => is_string( $home ) && strlen( $home ) < 1000 ? $home : null,
			'problem' => $problem,
		),
		JSON_INVALID_UTF8_SUBSTITUTE
	)
);
