/** Some of EC2's regions, instance types and images in its API's form. Ids of images are invented. */

/** Regions, and whether they need an opt-in. */
export const regions: Readonly<Record<string, boolean>> = {
  'eu-central-1': false,
  'us-east-1': false,
  'ap-east-1': true,
  'af-south-1': true,
}

/** The default network of every region has a subnet in each of its zones. */
export const vpcId = 'vpc-0aaaaaaaaaaaaaa01'
export const subnetsIn = (region: string) =>
  ['c', 'a', 'b'].map((letter) => ({
    subnetId: `subnet-0aaaaaaaaaaaaaa0${letter}`,
    availabilityZone: `${region}${letter}`,
    state: 'available',
    vpcId,
    cidrBlock: '172.31.0.0/20',
    defaultForAz: 'true',
    mapPublicIpOnLaunch: 'true',
  }))

const subnetFilters: Readonly<Record<string, (one: ReturnType<typeof subnetsIn>[number]) => readonly string[]>> = {
  'default-for-az': ({ defaultForAz }) => [defaultForAz],
}
export const subnetFilter = (filter: string) => subnetFilters[filter]

/** A type: vCPUs, MiB, architecture; then where it is offered, if not everywhere. */
const types: readonly (readonly [string, number, number, string, (readonly string[])?])[] = [
  ['t3.micro', 2, 1024, 'x86_64'],
  ['t3.small', 2, 2048, 'x86_64'],
  ['t3.medium', 2, 4096, 'x86_64'],
  ['t4g.small', 2, 2048, 'arm64'],
  ['t4g.medium', 2, 4096, 'arm64'],
  ['m7i.large', 2, 8192, 'x86_64'],
  ['m7i.xlarge', 4, 16_384, 'x86_64', ['eu-central-1', 'us-east-1']],
  ['m7i.metal-24xl', 96, 393_216, 'x86_64'],
  ['m1.small', 1, 1740, 'x86_64'],
  ['mac2.metal', 8, 16_384, 'arm64_mac'],
]

const typeOf = ([name, vcpus, mebibytes, architecture]: (typeof types)[number]) => ({
  instanceType: name,
  currentGeneration: String(name !== 'm1.small'),
  freeTierEligible: String(name === 't3.micro'),
  supportedUsageClasses: ['on-demand', 'spot'],
  supportedRootDeviceTypes: ['ebs'],
  supportedVirtualizationTypes: ['hvm'],
  bareMetal: String(name.includes('metal')),
  processorInfo: { supportedArchitectures: [architecture] },
  vCpuInfo: { defaultVCpus: String(vcpus) },
  memoryInfo: { sizeInMiB: String(mebibytes) },
})

export type Ec2Type = ReturnType<typeof typeOf>

/** The types that a region has. */
export const typesIn = (region: string): Ec2Type[] =>
  types.filter(([, , , , at]) => at?.includes(region) ?? true).map(typeOf)

const typeFilters: Readonly<Record<string, (type: Ec2Type) => readonly string[]>> = {
  'current-generation': (type) => [type.currentGeneration],
  'bare-metal': (type) => [type.bareMetal],
  'supported-root-device-type': (type) => type.supportedRootDeviceTypes,
  'supported-usage-class': (type) => type.supportedUsageClasses,
  'supported-virtualization-type': (type) => type.supportedVirtualizationTypes,
  'processor-info.supported-architecture': (type) => type.processorInfo.supportedArchitectures,
}
export const typeFilter = (filter: string) => typeFilters[filter]

const series = 'ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04'

const image = (number: number, name: string, architecture: string, owner: string, made: string) => ({
  imageId: `ami-0aaaaaaaaaaaaaa0${number}`,
  name,
  imageOwnerId: owner,
  architecture,
  imageState: 'available',
  creationDate: `${made}T06:20:00.000Z`,
  rootDeviceName: '/dev/sda1',
  rootDeviceType: 'ebs',
  virtualizationType: 'hvm',
})

/** Canonical, which publishes Ubuntu. */
const canonical = '099720109477'

/** With one of somebody who wants to be taken for Canonical. */
export const images = [
  image(1, `${series}-amd64-server-20260710`, 'x86_64', canonical, '2026-07-10'),
  image(2, `${series}-amd64-server-20260912`, 'x86_64', canonical, '2026-09-12'),
  image(3, `${series}-arm64-server-20260912`, 'arm64', canonical, '2026-09-12'),
  image(4, `${series}-amd64-server-20260920`, 'x86_64', '666666666666', '2026-09-20'),
  image(5, `${series}-amd64-server-20250101`, 'x86_64', canonical, '2025-01-01'),
]

const imageFilters: Readonly<Record<string, (one: (typeof images)[number]) => readonly string[]>> = {
  name: ({ name }) => [name],
  state: ({ imageState }) => [imageState],
}
export const imageFilter = (filter: string) => imageFilters[filter]
