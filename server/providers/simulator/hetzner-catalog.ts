/** Hetzner's locations and server types of 2026 in its API's form. Prices are invented round figures. */

const location = (
  id: number,
  [name, description, city, country]: readonly [string, string, string, string],
  latitude: number,
  longitude: number,
  network_zone: string,
) => ({ id, name, description, country, city, latitude, longitude, network_zone })

export const locations = [
  location(1, ['fsn1', 'Falkenstein DC Park 1', 'Falkenstein', 'DE'], 50.47612, 12.370071, 'eu-central'),
  location(2, ['nbg1', 'Nuremberg DC Park 1', 'Nuremberg', 'DE'], 49.452102, 11.076665, 'eu-central'),
  location(3, ['hel1', 'Helsinki DC Park 1', 'Helsinki', 'FI'], 60.169855, 24.938379, 'eu-central'),
  location(4, ['ash', 'Ashburn, VA', 'Ashburn, VA', 'US'], 39.045821, -77.487073, 'us-east'),
  location(5, ['hil', 'Hillsboro, OR', 'Hillsboro, OR', 'US'], 45.54222, -122.951924, 'us-west'),
  location(6, ['sin', 'Singapore', 'Singapore', 'SG'], 1.283333, 103.833333, 'ap-southeast'),
]

export type HetznerLocation = (typeof locations)[number]

const europe = ['fsn1', 'nbg1', 'hel1']
const europeAndAsia = [...europe, 'sin']
const overseas = ['ash', 'hil', 'sin']
const everywhere = [...europe, ...overseas]

type Row = readonly [
  id: number,
  name: string,
  cores: number,
  memory: number,
  disk: number,
  price: number,
  at: readonly string[],
]

const rows: readonly Row[] = [
  [114, 'cx23', 2, 4, 40, 4, europe],
  [115, 'cx33', 4, 8, 80, 7, europe],
  [116, 'cx43', 8, 16, 160, 12, europe],
  [117, 'cx53', 16, 32, 320, 24, europe],
  [108, 'cpx12', 1, 2, 40, 6, europeAndAsia],
  [109, 'cpx22', 2, 4, 80, 8, europeAndAsia],
  [110, 'cpx32', 4, 8, 160, 14, europeAndAsia],
  [22, 'cpx11', 2, 2, 40, 7, overseas],
  [23, 'cpx21', 3, 4, 80, 14, overseas],
  [45, 'cax11', 2, 4, 40, 5, europe],
  [93, 'cax21', 4, 8, 80, 8, europe],
  [96, 'ccx13', 2, 8, 80, 15, everywhere],
  [104, 'cx22', 2, 4, 40, 4, europe],
]

const withdrawn = { announced: '2025-10-16T06:00:00+00:00', unavailable_after: '2025-12-31T23:59:59+00:00' }
const isSoldOut = (name: string, at: string) => name === 'cx53' && at === 'hel1'

/** What an IPv4 address costs, which differs by location. Prices of types are without it. */
const addressIn = (location: string) => {
  const at = locations.findIndex(({ name }) => name === location)
  return { monthly: 0.5 + at / 100, hourly: 0.0008 + at / 100_000 }
}

const amounts = (net: number) => ({ net: net.toFixed(10), gross: (net * 1.19).toFixed(10) })

function serverType([id, name, cores, memory, disk, price, at]: Row) {
  const deprecation = name === 'cx22' ? withdrawn : null
  return {
    id,
    name,
    description: name.toUpperCase(),
    category: 'regular_purpose',
    cores,
    memory,
    disk,
    deprecated: deprecation !== null,
    deprecation,
    prices: at.map((where) => ({
      location: where,
      price_hourly: amounts(price / 625 - addressIn(where).hourly),
      price_monthly: amounts(price + 0.49 - addressIn(where).monthly),
      included_traffic: 20 * 2 ** 40,
      price_per_tb_traffic: amounts(1),
    })),
    storage_type: 'local',
    cpu_type: name.startsWith('ccx') ? 'dedicated' : 'shared',
    architecture: name.startsWith('cax') ? 'arm' : 'x86',
    locations: locations
      .filter((where) => at.includes(where.name))
      .map((where) => ({
        id: where.id,
        name: where.name,
        available: deprecation === null && !isSoldOut(name, where.name),
        recommended: deprecation === null,
        deprecation,
      })),
  }
}

export const serverTypes = rows.map(serverType)

export type HetznerServerType = (typeof serverTypes)[number]

/** Ubuntu 24.04 of an architecture. */
export const ubuntu = (architecture: string) => ({
  id: architecture === 'arm' ? 161547270 : 161547269,
  type: 'system',
  status: 'available',
  name: 'ubuntu-24.04',
  description: 'Ubuntu 24.04',
  image_size: null,
  disk_size: 5,
  created: '2024-04-25T13:26:27+00:00',
  created_from: null,
  bound_to: null,
  os_flavor: 'ubuntu',
  os_version: '24.04',
  rapid_deploy: true,
  protection: { delete: false },
  deprecated: null,
  labels: {},
  deleted: null,
  architecture,
})

const primaryIp = (type: 'ipv4' | 'ipv6', priceIn: typeof addressIn) => ({
  type,
  prices: locations.map(({ name }) => ({
    location: name,
    price_hourly: amounts(priceIn(name).hourly),
    price_monthly: amounts(priceIn(name).monthly),
  })),
})

/** `GET /pricing`, without the things that machines don't have. */
export const pricing = {
  currency: 'EUR',
  vat_rate: '19.000000',
  image: { price_per_gb_month: amounts(0.011) },
  floating_ip: { price_monthly: amounts(3) },
  floating_ips: [],
  primary_ips: [primaryIp('ipv4', addressIn), primaryIp('ipv6', () => ({ monthly: 0, hourly: 0 }))],
  load_balancer_types: [],
  server_backup: { percentage: '20.000000' },
  server_types: serverTypes.map(({ id, name, prices }) => ({ id, name, prices })),
  volume: { price_per_gb_month: amounts(0.05) },
}
