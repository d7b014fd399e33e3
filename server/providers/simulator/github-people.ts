/** People at the simulated GitHub. */

/** A team of an organization. */
export const team = (id: number, name: string, slug: string) => ({
  id,
  node_id: `T_${id}`,
  name,
  slug,
  description: null,
  privacy: 'closed',
  permission: 'pull',
  url: 'https://api.github.com/teams/1',
  html_url: 'https://github.com/orgs/acme/teams/1',
  members_url: 'https://api.github.com/teams/1/members{/member}',
  repositories_url: 'https://api.github.com/teams/1/repos',
  parent: null,
  type: 'organization',
  organization_id: 1,
})

/** The account of a token. */
export const user = () => {
  const urls = ['url', 'html_url', 'followers_url', 'following_url', 'gists_url', 'starred_url', 'subscriptions_url']
  const more = ['organizations_url', 'repos_url', 'events_url', 'received_events_url', 'avatar_url']
  return {
    login: 'acme-bot',
    id: 1,
    node_id: 'U_1',
    gravatar_id: '',
    type: 'User',
    site_admin: false,
    name: null,
    company: null,
    blog: null,
    location: null,
    email: null,
    hireable: null,
    bio: null,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: '2020-01-01T00:00:00Z',
    updated_at: '2020-01-01T00:00:00Z',
    ...Object.fromEntries([...urls, ...more].map((name) => [name, 'https://api.github.com/users/acme-bot'])),
  }
}
