// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.30;

interface INft {
    function transferFrom(address from, address to, uint256 tokenId) external;
}

/// Sells NFTs for the native token: one at a time, or as many of a list as can be had.
contract Marketplace {
    struct Listing {
        address seller;
        uint256 price;
    }

    mapping(address => mapping(uint256 => Listing)) public listings;

    event Sold(address indexed nft, uint256 indexed tokenId, address seller, address buyer, uint256 price);

    function list(address nft, uint256 tokenId, uint256 price) external {
        listings[nft][tokenId] = Listing(msg.sender, price);
    }

    function buy(address nft, uint256 tokenId) external payable {
        sell(nft, tokenId, msg.sender, msg.value);
    }

    /// Buys those that can be had, and pays the rest back. A purchase that fails is a call that reverts.
    function sweep(address nft, uint256[] calldata tokenIds) external payable {
        uint256 left = msg.value;
        for (uint256 i = 0; i < tokenIds.length; i++) {
            uint256 price = listings[nft][tokenIds[i]].price;
            try this.buyFor{value: price}(nft, tokenIds[i], msg.sender) {
                left -= price;
            } catch {}
        }
        pay(msg.sender, left);
    }

    function buyFor(address nft, uint256 tokenId, address buyer) external payable {
        require(msg.sender == address(this), "use sweep");
        sell(nft, tokenId, buyer, msg.value);
    }

    function sell(address nft, uint256 tokenId, address buyer, uint256 paid) private {
        Listing memory listing = listings[nft][tokenId];
        require(listing.seller != address(0) && paid == listing.price, "not for sale at that price");
        delete listings[nft][tokenId];
        INft(nft).transferFrom(listing.seller, buyer, tokenId);
        pay(listing.seller, paid);
        emit Sold(nft, tokenId, listing.seller, buyer, paid);
    }

    function pay(address to, uint256 amount) private {
        (bool paid, ) = to.call{value: amount}("");
        require(paid, "payment refused");
    }
}
