import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SiteSpec } from '../../engine.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'

describe('texts in WordPress on SQLite', () => {
  let fixture: EngineFixture
  let site: SiteSpec
  beforeAll(async () => {
    fixture = await startFixture()
    site = await fixture.create({ siteType: 'wp' })
    const titles = [
      'Über uns',
      'Привет мир',
      'Ελληνικά',
      'Crème brûlée 100%',
      'Straße',
      'plain_text',
      'plainXtext',
      'Новый',
    ]
    for (const title of titles)
      await wp(
        `return wp_insert_post(array('post_title' => '${title}', 'post_content' => '-', 'post_status' => 'publish'));`,
      )
  })
  afterAll(() => fixture.end())
  const wp = async (code: string): Promise<unknown> =>
    JSON.parse(
      await fixture.php(
        site,
        `require '/wordpress/wp-load.php'; global $wpdb; echo json_encode((function () use ($wpdb) { ${code} })());`,
      ),
    )

  it.each([
    ['über', ['Über uns']],
    ['uber', ['Über uns']],
    ['ÜBER', ['Über uns']],
    ['привет', ['Привет мир']],
    ['ПРИВЕТ', ['Привет мир']],
    ['ελληνικα', ['Ελληνικά']],
    ['creme brulee', ['Crème brûlée 100%']],
    ['crème', ['Crème brûlée 100%']],
    ['strasse', ['Straße']],
    ['100%', ['Crème brûlée 100%']],
    ['plain_text', ['plain_text']],
    ['новыи', []],
    ['nothing', []],
  ])('the search for %s finds %j', async (search, found) => {
    expect(
      await wp(
        `return wp_list_pluck(get_posts(array('s' => '${search}', 'numberposts' => -1, 'suppress_filters' => false)), 'post_title');`,
      ),
    ).toEqual(found)
    const page = (await fixture.fetch(site, `/?s=${encodeURIComponent(search)}`)).body
    for (const title of found) expect(page).toContain(title)
  })

  it('comparisons with other letters than those of ASCII are those of MySQL, and nothing else changes', async () => {
    const count = (where: string) =>
      wp(
        `return (int) $wpdb->get_var("SELECT COUNT(*) FROM $wpdb->posts WHERE post_status = 'publish' AND post_type = 'post' AND ${where}");`,
      )
    expect(await count(`post_title = 'ÜBER UNS'`)).toBe(1)
    expect(await count(`post_title = 'über'`)).toBe(0)
    expect(await count(`post_title = 'Crème brûlée 100%'`)).toBe(1)
    expect(await count(`post_title = 'Crème brûlée%'`)).toBe(0)
    expect(await count(`post_title LIKE 'crème brûlée%'`)).toBe(1)
    expect(await count(`(post_title <> 'über uns' AND post_title != 'привет мир' AND ID > 3)`)).toBe(6)
    expect(await count(`post_title = \\"über uns\\"`)).toBe(1)
    expect(await count(`BINARY post_title = 'über uns'`)).toBe(0)
    expect(await count(`post_title = 'uber uns'`)).toBe(1)
    expect(await count(`\`post_title\` != 'uber uns'`)).toBe(8)
    expect(await count(`post_title IN ('uber uns', 'strasse', 'PLAIN_TEXT')`)).toBe(3)
    expect(await count(`post_title IN ('ПРИВЕТ МИР', 'plain_text')`)).toBe(2)
    expect(await count(`NOT post_title NOT IN ('uber uns')`)).toBe(1)
    expect(await count(`post_title = 'ubeR' 'x'`)).toBe(0)
    // Names that programs look up by an index stay as SQLite has them.
    expect(await count(`post_name = 'uber-uns'`)).toBe(1)
    expect(await count(`'= \\'ü\\'' = CONCAT('= ', CHAR(39), 'ü', CHAR(39))`)).toBe(9)
    expect(
      await wp(
        `return array_column(get_posts(array('orderby' => 'title', 'order' => 'ASC', 'numberposts' => 20)), 'post_title');`,
      ),
    ).toEqual([
      'Crème brûlée 100%',
      'Hello world!',
      'plain_text',
      'plainXtext',
      'Straße',
      'Über uns',
      'Ελληνικά',
      'Новый',
      'Привет мир',
    ])
    // Tags of a name with accents are the same tag, and come in the order of the alphabet.
    await wp(`foreach (array('Zug', 'Öl', 'Apfel') as $name) wp_insert_term($name, 'post_tag');`)
    expect(await wp(`return get_term_by('name', 'ol', 'post_tag')->name;`)).toBe('Öl')
    expect(
      await wp(`return get_terms(array('taxonomy' => 'post_tag', 'hide_empty' => false, 'fields' => 'names'));`),
    ).toEqual(['Apfel', 'Öl', 'Zug'])
    expect(await wp(`return count(get_posts(array('meta_key' => 'city', 'meta_value' => 'koln')));`)).toBe(0)
    await wp(`add_post_meta(1, 'city', 'Köln');`)
    expect(await wp(`return count(get_posts(array('meta_key' => 'city', 'meta_value' => 'koln')));`)).toBe(1)
    // Writing keeps every text as it is.
    expect(await wp(`update_option('kept', "a = 'ÄÖ%_' <> 'ü'"); wp_cache_flush(); return get_option('kept');`)).toBe(
      `a = 'ÄÖ%_' <> 'ü'`,
    )
    expect(await wp(`return $wpdb->get_col("SHOW TABLES LIKE 'WP\\_POST%'");`)).toEqual(['wp_postmeta', 'wp_posts'])
    expect(await wp(`return $wpdb->last_error;`)).toBe('')
  })
})
