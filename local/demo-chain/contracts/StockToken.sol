// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.30;

import {BareErc20} from "./BareErc20.sol";

/// A tokenised stock after ERC-8056: balances are raw, a multiplier with an effective time scales their display.
contract StockToken is BareErc20 {
    string public name;
    string public symbol;
    uint8 public constant decimals = 18;
    bytes32 public uid;
    bool public constant oraclePaused = false;
    uint256 private formerUIMultiplier;
    uint256 public newUIMultiplier;
    uint256 public effectiveAt;

    event UIMultiplierUpdated(
        uint256 oldMultiplier, uint256 newMultiplier, uint256 setAtTimestamp, uint256 effectiveAtTimestamp
    );
    event TransferWithScaledUI(address indexed from, address indexed to, uint256 value, uint256 uiValue);

    function initialize(
        address owner_,
        bytes32 uid_,
        string calldata name_,
        string calldata symbol_,
        uint256 multiplier
    ) external {
        require(uid == 0 && uid_ != 0, "initialized");
        (owner, uid, name, symbol) = (owner_, uid_, name_, symbol_);
        (formerUIMultiplier, newUIMultiplier) = (multiplier, multiplier);
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == this.uiMultiplier.selector;
    }

    function uiMultiplier() public view returns (uint256) {
        return block.timestamp >= effectiveAt ? newUIMultiplier : formerUIMultiplier;
    }

    function balanceOfUI(address holder) external view returns (uint256) {
        return (units[holder] * uiMultiplier()) / 1e18;
    }

    function totalSupplyUI() external view returns (uint256) {
        return (totalSupply * uiMultiplier()) / 1e18;
    }

    /// Announces a multiplier; one that was announced before and is not in force yet is superseded.
    function setUIMultiplier(uint256 multiplier, uint256 effectiveAt_) external {
        require(msg.sender == owner && effectiveAt_ >= block.timestamp, "cannot announce");
        uint256 inForce = uiMultiplier();
        if (block.timestamp > effectiveAt) formerUIMultiplier = newUIMultiplier;
        (newUIMultiplier, effectiveAt) = (multiplier, effectiveAt_);
        emit UIMultiplierUpdated(inForce, multiplier, block.timestamp, effectiveAt_);
    }

    function announce(address from, address to, uint256 amount) internal override {
        emit Transfer(from, to, amount);
        emit TransferWithScaledUI(from, to, amount, (amount * uiMultiplier()) / 1e18);
    }
}

/// Deploys stock tokens as minimal proxies (ERC-1167) of one implementation and registers them by an event.
contract StockFactory {
    address public immutable implementation;
    address public immutable owner = msg.sender;

    event Deployed(bytes32 indexed uid, address token, string name, string symbol);

    constructor(address implementation_) {
        implementation = implementation_;
    }

    function deploy(bytes32 uid, string calldata name, string calldata symbol, uint256 multiplier) external {
        require(msg.sender == owner, "not the owner");
        bytes memory creation = abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", implementation, hex"5af43d82803e903d91602b57fd5bf3"
        );
        address token;
        assembly ("memory-safe") {
            token := create(0, add(creation, 32), mload(creation))
        }
        require(token != address(0), "not created");
        StockToken(token).initialize(owner, uid, name, symbol, multiplier);
        emit Deployed(uid, token, name, symbol);
    }
}
