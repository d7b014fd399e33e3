/** What Easydash asks EC2 for: no request has another action. */
export const ec2Actions = [
  'DescribeRegions',
  'DescribeInstanceTypes',
  'DescribeImages',
  'DescribeVpcs',
  'DescribeSubnets',
  'DescribeSecurityGroups',
  'DescribeKeyPairs',
  'DescribeInstances',
  'DescribeSnapshots',
  'CreateSecurityGroup',
  'AuthorizeSecurityGroupIngress',
  'ImportKeyPair',
  'RunInstances',
  'StartInstances',
  'StopInstances',
  'RebootInstances',
  'ModifyInstanceAttribute',
  'TerminateInstances',
  'CreateSnapshot',
] as const

/** An action of EC2 that the policy of a key allows. */
export type Ec2Action = (typeof ec2Actions)[number]

/** IAM policy of a key for servers, without anything that Easydash does not need. */
export const ec2Policy = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Resource: '*',
      // Whoever makes something with tags needs the right to tag, too:
      // https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/supported-iam-actions-tagging.html
      Action: [...ec2Actions, 'CreateTags'].map((action) => `ec2:${action}`),
    },
  ],
} as const
