import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleOf } from '#tests/support/long-run.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { choiceOf, createStaged } from './staged-fixture.ts'

let fixture: EngineFixture
beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture?.end())

/** Tables of orders with the names, keys and numbers of WooCommerce's high-performance order storage, and a shop that uses them. */
const shop = `
  $p = $wpdb->prefix; $c = $wpdb->get_charset_collate();
  foreach ( array(
    "wc_orders (id bigint(20) unsigned NOT NULL, status varchar(20) NULL, total_amount decimal(26,8) NULL, customer_id bigint(20) unsigned NULL, billing_email varchar(320) NULL, parent_order_id bigint(20) unsigned NULL, PRIMARY KEY  (id), KEY status (status))",
    "wc_order_addresses (id bigint(20) unsigned NOT NULL AUTO_INCREMENT, order_id bigint(20) unsigned NOT NULL, address_type varchar(20) NULL, first_name text NULL, PRIMARY KEY  (id), UNIQUE KEY address_type_order_id (address_type, order_id))",
    "wc_order_operational_data (id bigint(20) unsigned NOT NULL AUTO_INCREMENT, order_id bigint(20) unsigned NULL, order_key varchar(100) NULL, PRIMARY KEY  (id), UNIQUE KEY order_id (order_id))",
    "wc_orders_meta (id bigint(20) unsigned NOT NULL AUTO_INCREMENT, order_id bigint(20) unsigned NULL, meta_key varchar(255) NULL, meta_value text NULL, PRIMARY KEY  (id))",
    "wc_order_stats (order_id bigint(20) unsigned NOT NULL, parent_id bigint(20) unsigned DEFAULT 0 NOT NULL, total_sales double DEFAULT 0 NOT NULL, customer_id bigint(20) unsigned NOT NULL, PRIMARY KEY  (order_id))",
    "wc_customer_lookup (customer_id bigint(20) unsigned NOT NULL AUTO_INCREMENT, user_id bigint(20) unsigned DEFAULT NULL, email varchar(100) NULL, PRIMARY KEY  (customer_id), UNIQUE KEY user_id (user_id))",
    "woocommerce_order_items (order_item_id bigint(20) unsigned NOT NULL AUTO_INCREMENT, order_item_name text NOT NULL, order_id bigint(20) unsigned NOT NULL, PRIMARY KEY  (order_item_id))",
  ) as $table ) if ( false === $wpdb->query( "CREATE TABLE {$p}$table $c" ) ) throw new Exception( $wpdb->last_error );
`
/** Makes an order, as the shop does: a post holds its number. */
const order = (name: string, status = 'wc-processing') => `
  $id = wp_insert_post( array( 'post_type' => 'shop_order_placehold', 'post_status' => 'draft' ) );
  $wpdb->insert( $wpdb->prefix . 'wc_customer_lookup', array( 'email' => '${name}@example.com' ) ); $customer = $wpdb->insert_id;
  $wpdb->insert( $wpdb->prefix . 'wc_orders', array( 'id' => $id, 'status' => '${status}', 'total_amount' => '12.5', 'customer_id' => 0, 'billing_email' => '${name}@example.com', 'parent_order_id' => 0 ) );
  foreach ( array( 'billing', 'shipping' ) as $type ) $wpdb->insert( $wpdb->prefix . 'wc_order_addresses', array( 'order_id' => $id, 'address_type' => $type, 'first_name' => '${name}' ) );
  $wpdb->insert( $wpdb->prefix . 'wc_order_operational_data', array( 'order_id' => $id, 'order_key' => 'key-${name}' ) );
  $wpdb->insert( $wpdb->prefix . 'wc_orders_meta', array( 'order_id' => $id, 'meta_key' => 'gift', 'meta_value' => '${name}' ) );
  $wpdb->insert( $wpdb->prefix . 'wc_order_stats', array( 'order_id' => $id, 'total_sales' => 12.5, 'customer_id' => $customer ) );
  $wpdb->insert( $wpdb->prefix . 'woocommerce_order_items', array( 'order_item_name' => 'Mug of ${name}', 'order_id' => $id ) );`
/** Every order with all of its parts, by email address. */
const orders = `
  $p = $wpdb->prefix; $all = array();
  foreach ( $wpdb->get_results( "SELECT * FROM {$p}wc_orders ORDER BY id" ) as $o ) $all[ $o->billing_email ] = array(
    'status' => $o->status, 'post' => get_post_type( $o->id ),
    'names' => $wpdb->get_col( "SELECT first_name FROM {$p}wc_order_addresses WHERE order_id = $o->id ORDER BY address_type" ),
    'key' => $wpdb->get_col( "SELECT order_key FROM {$p}wc_order_operational_data WHERE order_id = $o->id" ),
    'gift' => $wpdb->get_col( "SELECT meta_value FROM {$p}wc_orders_meta WHERE order_id = $o->id" ),
    'customer' => $wpdb->get_col( "SELECT c.email FROM {$p}wc_order_stats s JOIN {$p}wc_customer_lookup c ON c.customer_id = s.customer_id WHERE s.order_id = $o->id" ),
    'items' => $wpdb->get_col( "SELECT order_item_name FROM {$p}woocommerce_order_items WHERE order_id = $o->id" ) );
  return $all;`
const whole = (name: string, status = 'wc-processing') => ({
  status,
  post: 'shop_order_placehold',
  names: [name, name],
  key: [`key-${name}`],
  gift: [name],
  customer: [`${name}@example.com`],
  items: [`Mug of ${name}`],
})

test('orders that are made and changed on the site meanwhile are kept whole; one of staging gets another number', async () => {
  const t = await createStaged(fixture, `${shop} ${order('old')} ${order('changed')} return 1;`)
  const first = (of: string) => `SELECT id FROM {$wpdb->prefix}wc_orders WHERE billing_email = '${of}@example.com'`
  await t.wp(
    t.site,
    `${order('live-1')} ${order('live-2')}
    $wpdb->update( $wpdb->prefix . 'wc_orders', array( 'status' => 'wc-completed' ), array( 'billing_email' => 'changed@example.com' ) ); return 1;`,
  )
  await t.wp(
    t.staging,
    `${order('staged')} $wpdb->update( $wpdb->prefix . 'wc_orders_meta', array( 'meta_value' => 'wrapped' ), array( 'order_id' => $wpdb->get_var( "${first('old')}" ) ) );
    update_option( 'shop_name', 'New name' ); return 1;`,
  )
  const plan = await t.plan()
  const sides = plan.database?.kinds.find(({ kind }) => kind === 'orders')
  expect(sides?.live).toMatchObject({ added: expect.any(Number), samples: expect.any(Array) })
  expect(sides?.live.samples.map(({ label }) => label)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^#\d+$/)]),
  )
  // One decision for the order, not one for each of its rows; and one for its customer.
  expect(plan.database?.clashes.map(({ kind, type }) => [kind, type]).toSorted()).toEqual([
    ['orders', 'number'],
    ['orders', 'number'],
  ])

  await t.push(choiceOf(plan))
  const kept = {
    'old@example.com': { ...whole('old'), gift: ['wrapped'] },
    'changed@example.com': whole('changed', 'wc-completed'),
    'live-1@example.com': whole('live-1'),
    'live-2@example.com': whole('live-2'),
  }
  expect(await t.wp(t.site, orders)).toEqual(kept)
  expect(await t.wp(t.site, `return get_option( 'shop_name' );`)).toBe('New name')

  expect(await t.losses()).toMatchObject({ files: { added: 0, changed: 0, deleted: 0 }, kinds: [] })
  await t.push(choiceOf(await t.plan(), { takeAll: ['orders'] }))
  expect(await t.wp(t.site, orders)).toEqual({ ...kept, 'staged@example.com': whole('staged') })

  // What came since the push is what a rollback would lose.
  await t.wp(
    t.site,
    `${order('late')} wp_update_post( array( 'ID' => 1, 'post_title' => 'Since' ) ); file_put_contents( __DIR__ . '/since.txt', 'x' ); return 1;`,
  )
  const { files, kinds } = await t.losses()
  expect(files).toMatchObject({ added: 1, changed: 0, deleted: 0, samples: [{ label: 'since.txt', what: 'add' }] })
  const of = Object.fromEntries(kinds.map(({ kind, changes }) => [kind, changes]))
  expect(of['orders']?.samples.map(({ label }) => label)).toContainEqual(expect.stringMatching(/^#\d+$/))
  expect(of['posts']).toMatchObject({ changed: 1, samples: [{ label: 'Since', what: 'change' }] })
  expect(await t.wp(t.site, `return glob( __DIR__ . '/wp-content/database/.ht.easydash*' );`)).toEqual([])
  await t.rollBack()
  await expect(t.losses()).rejects.toMatchObject({ code: 'conflict' })
})

const people = `return array(
  'users' => $wpdb->get_results( "SELECT user_login, display_name FROM $wpdb->users ORDER BY user_login, ID", ARRAY_N ),
  'meta' => array_map( fn( $login ) => get_user_meta( get_user_by( 'login', $login )->ID, 'colour' ), array( 'bob', 'cat' ) ),
  'authors' => array_map( fn( $p ) => array( $p->post_title, get_userdata( $p->post_author )->user_login ), get_posts( array( 'numberposts' => -1, 'orderby' => 'title', 'order' => 'ASC', 's' => 'By' ) ) ) );`
const user = (login: string, shown: string, colour: string) => `
  $id = wp_insert_user( array( 'user_login' => '${login}', 'user_pass' => 'x', 'user_email' => '${login}@example.com', 'display_name' => '${shown}', 'role' => 'author' ) );
  if ( is_wp_error( $id ) ) throw new Exception( $id->get_error_message() ); update_user_meta( $id, 'colour', '${colour}' );`
const post = (title: string) =>
  `wp_insert_post( array( 'post_title' => '${title}', 'post_author' => $id, 'post_status' => 'publish' ) );`

test.each(
  sampleOf(
    [
      ['under different numbers', `${user('cat', 'Cat', 'grey')} ${user('bob', 'Bob of live', 'red')}`],
      [
        'under the same number',
        `${user('bob', 'Bob of live', 'red')} ${post('By live')} ${user('cat', 'Cat', 'grey')}`,
      ],
    ],
    1,
  ),
)('somebody who is new on both sides %s stays one user, and posts keep their author', async (_how, live) => {
  const t = await createStaged(fixture, 'return 1;')
  await t.wp(t.site, `${live} return 1;`)
  await t.wp(t.staging, `${user('bob', 'Bob of staging', 'blue')} ${post('By staging')} return 1;`)
  const before = await t.wp<{ authors: string[][] }>(t.site, people)
  const plan = await t.plan()
  expect(plan.database?.clashes.filter(({ kind }) => kind === 'users')).toMatchObject([
    { type: 'changed', label: 'bob', staging: { op: 'add' }, live: { op: 'add' } },
  ])
  await t.push(choiceOf(plan, { takeAll: ['posts'] }))
  const authors = [...before.authors, ['By staging', 'bob']]
  const others = [
    ['boss', 'boss'],
    ['cat', 'Cat'],
  ]
  expect(await t.wp(t.site, people)).toEqual({
    users: [['bob', 'Bob of live'], ...others],
    meta: [['red'], ['grey']],
    authors,
  })

  // Taken, the person of the site gets what staging says, without another number.
  await t.rollBack()
  await t.push(choiceOf(await t.plan(), { takeAll: ['posts', 'users'] }))
  expect(await t.wp(t.site, people)).toEqual({
    users: [['bob', 'Bob of staging'], ...others],
    meta: [['blue'], ['grey']],
    authors,
  })
})

test('what code of the staging site writes behind the structure of a table is never executed on the site', async () => {
  const t = await createStaged(fixture, 'return 1;')
  await t.wp(
    t.staging,
    `$wpdb->query( "CREATE TABLE {$wpdb->prefix}added (id bigint(20) NOT NULL, PRIMARY KEY  (id))" );
    $pdo = new PDO( 'sqlite:' . WP_CONTENT_DIR . '/database/.ht.sqlite' );
    $pdo->exec( 'PRAGMA writable_schema = ON' );
    $pdo->exec( "UPDATE sqlite_master SET sql = sql || '; UPDATE main.wp_users SET user_email = ''evil@example.com''; ATTACH ''/wordpress/evil.php'' AS evil; CREATE TABLE evil.x (y)' WHERE name = 'wp_added' AND type = 'table'" );
    return 1;`,
  )
  expect(
    await t.wp(
      t.staging,
      `return (int) ( new PDO( 'sqlite:' . WP_CONTENT_DIR . '/database/.ht.sqlite' ) )->query( "SELECT count(*) FROM sqlite_master WHERE sql LIKE '%evil%'" )->fetchColumn();`,
    ),
  ).toBe(1)
  await t.push(choiceOf(await t.plan(), { files: false }))
  expect(
    await t.wp(
      t.site,
      `return array( $wpdb->get_var( "SELECT count(*) FROM {$wpdb->prefix}users WHERE user_email = 'evil@example.com'" ),
        file_exists( '/wordpress/evil.php' ), $wpdb->get_var( "SELECT count(*) FROM {$wpdb->prefix}added" ) );`,
    ),
  ).toEqual(['0', false, '0'])
})
