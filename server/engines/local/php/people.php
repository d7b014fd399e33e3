<?php
/* Lists users. Input: search, page (from 0), safe. Result: total, rows; see `wordpressUsers` in shared/responses. */
require '/internal/easydash/load.php';
require '/internal/easydash/members.php';

$easydash_query = array(
	'orderby' => 'registered',
	'order'   => 'ASC',
	'number'  => 50,
	'offset'  => 50 * (int) $easydash_input['page'],
) + easydash_everywhere();
if ( '' !== $easydash_input['search'] ) {
	$easydash_query['search']         = '*' . $easydash_input['search'] . '*';
	$easydash_query['search_columns'] = array( 'user_login', 'user_email', 'display_name' );
}
$easydash_found = new WP_User_Query( $easydash_query );
$easydash_rows  = array();
foreach ( $easydash_found->get_results() as $user ) {
	$easydash_rows[] = array(
		'login'      => easydash_text( $user->user_login ),
		'name'       => easydash_text( $user->display_name ),
		'email'      => easydash_text( $user->user_email ),
		'roles'      => array_slice( array_map( 'easydash_text', array_values( $user->roles ) ), 0, 20 ),
		'registered' => (int) strtotime( $user->user_registered . ' UTC' ),
		'from_login' => '' !== (string) get_user_meta( $user->ID, 'easydash_account', true ),
	) + ( is_multisite() ? array( 'super_admin' => is_super_admin( $user->ID ) ) : array() );
}
easydash_result(
	array(
		'total' => (int) $easydash_found->get_total(),
		'rows'  => $easydash_rows,
	)
);
