<?php
/* What the tables of WordPress contain, for comparing and merging the databases of a site and its staging copy. */

final class Easydash_Merge_Rules {
	/**
	 * By the end of the table's name. key: what identifies a row on both sides. space: its numbers are referred to by others.
	 * surrogate: its number means nothing and may differ. owner: column and space of the row it belongs to. sub: with the
	 * owner, what identifies it. refs: columns with numbers of others. ignore: columns that follow from other rows. omit: a
	 * number that means nothing beside the key. The tables of WooCommerce's orders (high-performance order storage) share
	 * their numbers with posts: each order has a post that holds its number.
	 * https://developer.woocommerce.com/docs/features/high-performance-order-storage/
	 */
	const TABLES = array(
		'posts'                     => array( 'kind' => 'posts', 'key' => array( 'ID' ), 'space' => 'post', 'label' => 'post_title', 'author' => 'post_author', 'refs' => array( 'post_author' => 'user', 'post_parent' => 'post' ), 'ignore' => array( 'comment_count' ) ),
		'postmeta'                  => array( 'kind' => 'posts', 'key' => array( 'meta_id' ), 'surrogate' => 'meta_id', 'owner' => array( 'post_id', 'post' ), 'sub' => 'meta_key' ),
		'comments'                  => array( 'kind' => 'comments', 'key' => array( 'comment_ID' ), 'space' => 'comment', 'label' => 'comment_content', 'owner' => array( 'comment_post_ID', 'post' ), 'author' => 'user_id', 'refs' => array( 'user_id' => 'user', 'comment_parent' => 'comment' ) ),
		'commentmeta'               => array( 'kind' => 'comments', 'key' => array( 'meta_id' ), 'surrogate' => 'meta_id', 'owner' => array( 'comment_id', 'comment' ), 'sub' => 'meta_key' ),
		'users'                     => array( 'kind' => 'users', 'key' => array( 'ID' ), 'space' => 'user', 'label' => 'user_login', 'ignore' => array( 'user_activation_key' ) ),
		'usermeta'                  => array( 'kind' => 'users', 'key' => array( 'umeta_id' ), 'surrogate' => 'umeta_id', 'owner' => array( 'user_id', 'user' ), 'sub' => 'meta_key' ),
		'terms'                     => array( 'kind' => 'terms', 'key' => array( 'term_id' ), 'space' => 'term', 'label' => 'name' ),
		'termmeta'                  => array( 'kind' => 'terms', 'key' => array( 'meta_id' ), 'surrogate' => 'meta_id', 'owner' => array( 'term_id', 'term' ), 'sub' => 'meta_key' ),
		'term_taxonomy'             => array( 'kind' => 'terms', 'key' => array( 'term_taxonomy_id' ), 'space' => 'term_taxonomy', 'label' => 'taxonomy', 'refs' => array( 'term_id' => 'term', 'parent' => 'term' ), 'ignore' => array( 'count' ) ),
		'term_relationships'        => array( 'kind' => 'posts', 'key' => array( 'object_id', 'term_taxonomy_id' ), 'owner' => array( 'object_id', 'post' ), 'refs' => array( 'term_taxonomy_id' => 'term_taxonomy' ) ),
		'options'                   => array( 'kind' => 'options', 'key' => array( 'option_name' ), 'omit' => 'option_id', 'label' => 'option_name', 'ignore' => array( 'option_id' ) ),
		'woocommerce_order_items'   => array( 'kind' => 'orders', 'key' => array( 'order_item_id' ), 'space' => 'order_item', 'label' => 'order_item_name', 'owner' => array( 'order_id', 'post' ) ),
		'woocommerce_order_itemmeta' => array( 'kind' => 'orders', 'key' => array( 'meta_id' ), 'surrogate' => 'meta_id', 'owner' => array( 'order_item_id', 'order_item' ), 'sub' => 'meta_key' ),
		'wc_orders'                 => array( 'kind' => 'orders', 'key' => array( 'id' ), 'owner' => array( 'id', 'post' ), 'refs' => array( 'parent_order_id' => 'post', 'customer_id' => 'user' ) ),
		'wc_order_addresses'        => array( 'kind' => 'orders', 'key' => array( 'order_id', 'address_type' ), 'omit' => 'id', 'owner' => array( 'order_id', 'post' ), 'ignore' => array( 'id' ) ),
		'wc_order_operational_data' => array( 'kind' => 'orders', 'key' => array( 'order_id' ), 'omit' => 'id', 'owner' => array( 'order_id', 'post' ), 'ignore' => array( 'id' ) ),
		'wc_order_stats'            => array( 'kind' => 'orders', 'key' => array( 'order_id' ), 'owner' => array( 'order_id', 'post' ), 'refs' => array( 'parent_id' => 'post', 'customer_id' => 'customer' ) ),
		'wc_order_product_lookup'   => array( 'kind' => 'orders', 'key' => array( 'order_item_id' ), 'owner' => array( 'order_id', 'post' ), 'refs' => array( 'order_item_id' => 'order_item', 'product_id' => 'post', 'variation_id' => 'post', 'customer_id' => 'customer' ) ),
		'wc_order_coupon_lookup'    => array( 'kind' => 'orders', 'key' => array( 'order_id', 'coupon_id' ), 'owner' => array( 'order_id', 'post' ), 'refs' => array( 'coupon_id' => 'post' ) ),
		'wc_order_tax_lookup'       => array( 'kind' => 'orders', 'key' => array( 'order_id', 'tax_rate_id' ), 'owner' => array( 'order_id', 'post' ) ),
		'wc_customer_lookup'        => array( 'kind' => 'orders', 'key' => array( 'customer_id' ), 'space' => 'customer', 'label' => 'email', 'refs' => array( 'user_id' => 'user' ) ),
		'wc_orders_meta'            => array( 'kind' => 'orders', 'key' => array( 'id' ), 'surrogate' => 'id', 'owner' => array( 'order_id', 'post' ), 'sub' => 'meta_key' ),
	);
	/** The table of each space, with its column. */
	const SPACES = array(
		'post'          => array( 'posts', 'ID' ),
		'comment'       => array( 'comments', 'comment_ID' ),
		'user'          => array( 'users', 'ID' ),
		'term'          => array( 'terms', 'term_id' ),
		'term_taxonomy' => array( 'term_taxonomy', 'term_taxonomy_id' ),
		'order_item'    => array( 'woocommerce_order_items', 'order_item_id' ),
		'customer'      => array( 'wc_customer_lookup', 'customer_id' ),
	);
	/** Values of these names are numbers of others. */
	const META_REFS   = array(
		'_thumbnail_id'               => 'post',
		'_menu_item_menu_item_parent' => 'post',
	);
	const OPTION_REFS = array(
		'page_on_front'  => 'post',
		'page_for_posts' => 'post',
		'site_icon'      => 'post',
		'site_logo'      => 'post',
	);
	/** Each site's own: addresses, visibility, keys, caches, schedules, sessions, locks, what WordPress notes for itself. */
	const OPTIONS  = '/^(?:_(?:site_)?transient_.*|_wp_session_.*|_wc_session_.*|easydash_.*|siteurl|home|blog_public|cron|rewrite_rules|recently_activated|recently_edited|db_upgraded|can_compress_scripts|(?:secure_)?auth_(?:key|salt)|logged_in_(?:key|salt)|nonce_(?:key|salt)|.*[._]lock|action_scheduler_.*|fresh_site|finished_.*|recovery_keys|recovery_mode_email_last_sent|user_count|admin_email_lifespan|auto_core_update_(?:notified|failed)|auto_plugin_theme_update_emails|https_detection_errors|wp_calendar_block_has_published_posts)$/Di';
	const POSTMETA = '/^(?:_edit_lock|_edit_last|_encloseme|_pingme)$/Di';
	const USERMETA = '/^(?:session_tokens|easydash_.*|.*user-settings(?:-time)?|.*dashboard_quick_press_last_post_id|community-events-location|wc_last_active|_woocommerce_persistent_cart_.*)$/Di';
	const TABLE    = '/(?:woocommerce_sessions|actionscheduler_\w+|wc_rate_limits|wc_reserved_stock)$/Di';
	/** Kinds of posts that stay where they are. */
	const POST_TYPES  = array( 'revision', 'oembed_cache', 'customize_changeset' );
	const ORDER_TYPES = array( 'shop_order', 'shop_order_refund', 'shop_subscription', 'shop_order_placehold' );

	public $prefix = 'wp_';

	public function __construct() {
		$config = '/wordpress/wp-config.php';
		if ( is_file( $config ) && filesize( $config ) < 1000000 && preg_match( '/^\s{0,20}\$table_prefix\s{0,20}=\s{0,20}[\'"](\w{1,40})[\'"]/m', file_get_contents( $config ), $match ) ) {
			$this->prefix = $match[1];
		}
	}

	/** How to treat a table; null: it stays as it is on each side. `primary`: the columns of its primary key. */
	public function table( $name, $primary ) {
		if ( preg_match( self::TABLE, $name ) || preg_match( '/^(?:sqlite_|_wp_sqlite_|_mysql_)/i', $name ) ) {
			return null;
		}
		$own = 0 === strpos( $name, $this->prefix ) ? substr( $name, strlen( $this->prefix ) ) : '';
		if ( isset( self::TABLES[ $own ] ) ) {
			return self::TABLES[ $own ] + array( 'name' => $own );
		}
		return array(
			'name' => $own,
			'kind' => preg_match( '/^(?:wc_order|woocommerce_order|wc_customer_lookup)/', $own ) ? 'orders' : 'other',
			'key'  => $primary,
		);
	}

	/** The table with the rows of a space. */
	public function tableOf( $space ) {
		return array( $this->prefix . self::SPACES[ $space ][0], self::SPACES[ $space ][1] );
	}

	/** Whether a row stays on its side. */
	public function ignored( $rule, $row ) {
		switch ( $rule['name'] ) {
			case 'options':
				return (bool) preg_match( self::OPTIONS, (string) $row['option_name'] );
			case 'postmeta':
				return (bool) preg_match( self::POSTMETA, (string) $row['meta_key'] );
			case 'usermeta':
				return (bool) preg_match( self::USERMETA, (string) $row['meta_key'] );
			case 'posts':
				return in_array( $row['post_type'], self::POST_TYPES, true ) || 'auto-draft' === $row['post_status'];
		}
		return false;
	}
}
